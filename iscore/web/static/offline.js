// Without a connection: marks wait in the browser until they can be sent, and a notice says so.
"use strict";

const app = {
  root: document.querySelector(".brand a").getAttribute("href"),
  account: document.documentElement.dataset.account || "",
  token: document.documentElement.dataset.token || "",
};
const DATABASE = `iscore ${app.root}`;
const LONGEST_WAIT = 30 * 86_400_000; // milliseconds

// What the server answers to whom it does not know; a proxy in front may redirect to its own page.
const needsSignIn = (answer) => answer.status === 403 || answer.redirected;

// A mark that is sent twice counts once: each has a number of its own, which a second try repeats.
const newNonce = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18)))).replace(/\+/g, "-").replace(/\//g, "_");

const waiting = {
  open() {
    return new Promise((done, failed) => {
      const request = indexedDB.open(DATABASE, 2);
      request.onupgradeneeded = () => {
        const database = request.result;
        if (database.objectStoreNames.contains("marks")) database.deleteObjectStore("marks");
        database.createObjectStore("marks", { autoIncrement: true }).createIndex("account", "account");
      };
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
  },

  async run(mode, work) {
    const database = await this.open();
    try {
      return await new Promise((done, failed) => {
        const transaction = database.transaction("marks", mode);
        const request = work(transaction.objectStore("marks"));
        transaction.oncomplete = () => done(request.result);
        transaction.onerror = () => failed(transaction.error);
      });
    } finally {
      database.close();
    }
  },

  add(action, body) {
    body.set("account", app.account);
    body.delete("token");
    return this.run("readwrite", (store) => store.add({ account: app.account, action, body: body.toString(), at: Date.now() }));
  },

  remove(key) {
    return this.run("readwrite", (store) => store.delete(key));
  },

  // Forget what has waited for too long: several people may use a browser, and not all of them come back.
  forget() {
    return this.run("readwrite", (store) => {
      const request = store.openCursor();
      request.onsuccess = () => {
        const cursor = request.result;
        if (cursor && Date.now() - cursor.value.at > LONGEST_WAIT) cursor.delete();
        cursor?.continue();
      };
      return request;
    });
  },

  // Those of the account that is signed in; all if nobody is.
  count() {
    return this.run("readonly", (store) => (app.account ? store.index("account").count(app.account) : store.count()));
  },

  async first() {
    const keys = await this.run("readonly", (store) => store.index("account").getAllKeys(app.account, 1));
    return keys.length ? [keys[0], await this.run("readonly", (store) => store.get(keys[0]))] : [];
  },

  // Send what waits, in order; return how many marks the server refused, and whether it needs a sign-in first. Only an
  // answer to somebody who is signed in (it names the session) is about the mark itself.
  async send() {
    let refused = 0;
    for (let [key, mark] = await this.first(); mark; [key, mark] = await this.first()) {
      const body = new URLSearchParams(mark.body);
      body.set("token", app.token);
      const answer = await fetch(mark.action, { method: "POST", headers: { "x-part": "story" }, body });
      const isAboutMark = [400, 404].includes(answer.status) && answer.headers.has("x-session");
      if (needsSignIn(answer)) return { refused, signIn: true };
      if (!answer.ok && !isAboutMark) break;
      if (isAboutMark) refused += 1;
      await this.remove(key);
    }
    return { refused, signIn: false };
  },
};

const isOffline = () => !navigator.onLine || "offline" in document.documentElement.dataset;

let refused = 0; // marks, since this page was opened
let signIn = !app.account;

async function showConnection() {
  const notice = document.getElementById("offline");
  if (!notice) return;
  const count = await waiting.count().catch(() => 0);
  const sentences = [];
  if (app.account && isOffline()) sentences.push(gettext("Offline. You see what this browser has saved."));
  if (count && signIn) sentences.push(loginLink(ngettext("Sign in to send %(count)s waiting mark.", "Sign in to send %(count)s waiting marks.", count)));
  else if (count) sentences.push(ngettext("%(count)s mark waits to be sent.", "%(count)s marks wait to be sent.", count));
  if (refused) sentences.push(ngettext("%(count)s mark could not be sent: its story does not exist any more.", "%(count)s marks could not be sent: their stories do not exist any more.", refused));
  notice.hidden = !sentences.length;
  notice.replaceChildren(...sentences.flatMap((each) => [each, " "]));
}

// On the page of the login itself, or another one for everybody, the words alone.
function loginLink(words) {
  if (!app.account) return words;
  const link = document.createElement("a");
  link.href = `${app.root.replace(/\/$/, "")}/login`;
  link.textContent = words;
  return link;
}

let sending = false;
async function sendMarks() {
  if (!app.account || sending) return;
  sending = true;
  try {
    await fetch(document.querySelector("link[rel=manifest]").href, { method: "HEAD", cache: "no-store" });
    const sent = await navigator.locks.request(DATABASE, () => waiting.send());
    [refused, signIn] = [refused + sent.refused, sent.signIn];
    // The server is there again: show the page as it is now, unless that would hide what the notice says.
    if ("offline" in document.documentElement.dataset && !(await waiting.count())) {
      delete document.documentElement.dataset.offline;
      if (!refused) location.reload();
    }
  } catch {
    // Still no connection.
  } finally {
    sending = false;
    await showConnection();
  }
}

const sendWaiting = () => waiting.count().then((count) => (count && app.account ? sendMarks() : showConnection())).catch(() => {});

// Keep a mark until it can be sent, and show it as if it had been.
async function keepMark(action, body, button, sessionEnded) {
  await waiting.add(action, body);
  signIn ||= sessionEnded;
  assume(button);
  await showConnection();
}

function assume(button) {
  const [action, id] = button.value.split(":");
  const within = button.closest("article") || document;
  const others = { like: ".dislike", dislike: ".like" };
  const say = (words) => { button[button.textContent ? "textContent" : "title"] = words; }; // in rows they are icons
  if (["like", "dislike", "skip"].includes(action)) {
    const other = within.querySelector(others[action]);
    if (other) {
      other.setAttribute("aria-pressed", "false");
      other.value = `${other.classList[0]}:${id}`;
    }
    button.setAttribute("aria-pressed", "true");
    button.value = `undo:${id}`;
  } else if (action === "undo") {
    button.setAttribute("aria-pressed", "false");
    button.value = `${button.classList[0]}:${id}`;
  } else if (action === "save" || action === "unsave") {
    const saved = action === "save";
    button.setAttribute("aria-pressed", String(saved));
    say(saved ? gettext("Saved") : gettext("Save"));
    button.value = `${saved ? "unsave" : "save"}:${id}`;
  } else {
    const read = action === "read";
    within.classList?.toggle("is-read", read);
    say(read ? gettext("Mark unread") : gettext("Mark read"));
    button.value = `${read ? "unread" : "read"}:${id}`;
  }
}

// The forms of articles load a page for each verdict: without a connection they wait like marks.
addEventListener("submit", (event) => {
  const form = event.target;
  if (!isOffline() || !event.submitter || !/\/verdict$/.test(form.action)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const fields = new FormData(form);
  const kind = event.submitter.value;
  const body = new URLSearchParams({ nonce: newNonce(), do: `${kind}:${fields.get("article")}` });
  for (const each of form.querySelectorAll("[aria-pressed]")) each.removeAttribute("aria-pressed");
  if (kind !== "undo") event.submitter.setAttribute("aria-pressed", "true");
  waiting.add(app.root.replace(/\/$/, "") + "/mark", body).then(showConnection);
});

if (app.account && navigator.serviceWorker) {
  const isNew = !navigator.serviceWorker.controller;
  navigator.serviceWorker.register(document.documentElement.dataset.worker, { scope: app.root }).catch(() => {});
  navigator.serviceWorker.ready.then((registration) => {
    const tell = (keep, ahead = false) => registration.active.postMessage({ keep, ahead });
    if (isNew) tell([location.href, ...[...document.querySelectorAll("link[rel=stylesheet], script[src]")].map((each) => each.href || each.src)]);
    const next = document.querySelector("a[data-next]");
    if (next && !isOffline() && !navigator.connection?.saveData) setTimeout(() => tell([next.href], true), 1000);
  });
}

addEventListener("online", sendMarks);
addEventListener("offline", showConnection);
waiting.forget().catch(() => {}).then(() => (isOffline() ? showConnection() : sendWaiting()));
setInterval(() => (isOffline() ? sendMarks() : sendWaiting()), 15_000);
