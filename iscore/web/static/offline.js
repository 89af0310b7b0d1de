// Without a connection: marks wait in the browser until they can be sent, and a notice says so.
"use strict";

const app = {
  root: document.querySelector(".brand a").getAttribute("href"),
  session: document.documentElement.dataset.session || "",
};
const DATABASE = `iscore ${app.root}`;

// A mark that is sent twice counts once: each has a number of its own, which a second try repeats.
const newNonce = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18)))).replace(/\+/g, "-").replace(/\//g, "_");

const waiting = {
  open() {
    return new Promise((done, failed) => {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("marks", { autoIncrement: true });
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
    return this.run("readwrite", (store) => store.add({ session: app.session, action, body: body.toString() }));
  },

  remove(key) {
    return this.run("readwrite", (store) => store.delete(key));
  },

  count() {
    return this.run("readonly", (store) => store.count());
  },

  async first() {
    const keys = await this.run("readonly", (store) => store.getAllKeys(null, 1));
    return keys.length ? [keys[0], await this.run("readonly", (store) => store.get(keys[0]))] : [];
  },

  // Send what waits, in order. What the server refuses would be refused again; what belongs to another session goes.
  async send() {
    for (let [key, mark] = await this.first(); mark; [key, mark] = await this.first()) {
      if (mark.session === app.session) {
        const answer = await fetch(mark.action, { method: "POST", headers: { "x-part": "story" }, body: new URLSearchParams(mark.body) });
        if (answer.status >= 500 || answer.status === 429) return;
      }
      await this.remove(key);
    }
  },
};

const isOffline = () => !navigator.onLine || "offline" in document.documentElement.dataset;

async function showConnection() {
  const notice = document.getElementById("offline");
  if (!notice) return;
  const count = app.session ? await waiting.count().catch(() => 0) : 0;
  notice.hidden = !isOffline() && !count;
  const marks = count === 1 ? "1 mark waits" : `${count} marks wait`;
  const words = isOffline() ? "Offline. You see what this browser has saved." : "Connecting.";
  notice.textContent = count ? `${words} ${marks} to be sent.` : words;
}

let sending = false;
async function sendMarks() {
  if (!app.session || sending) return;
  sending = true;
  try {
    await fetch(document.querySelector("link[rel=manifest]").href, { method: "HEAD", cache: "no-store" });
    await navigator.locks.request(DATABASE, () => waiting.send());
    // The server is there again: show the page as it is now.
    if ("offline" in document.documentElement.dataset && !(await waiting.count())) location.reload();
  } catch {
    // Still no connection.
  } finally {
    sending = false;
    await showConnection();
  }
}

// Keep a mark until it can be sent, and show it as if it had been.
async function keepMark(action, body, button) {
  await waiting.add(action, body);
  assume(button);
  await showConnection();
}

function assume(button) {
  const [action, id] = button.value.split(":");
  const within = button.closest("article") || document;
  const others = { like: ".dislike", dislike: ".like" };
  if (action === "like" || action === "dislike") {
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
    button.textContent = saved ? "Saved" : "Save";
    button.value = `${saved ? "unsave" : "save"}:${id}`;
  } else {
    const read = action === "read";
    within.classList?.toggle("is-read", read);
    button.textContent = read ? "Mark unread" : "Mark read";
    button.value = `${read ? "unread" : "read"}:${id}`;
  }
}

// The forms of For you, Hidden and articles load a page for each verdict: without a connection they wait like marks.
addEventListener("submit", (event) => {
  const form = event.target;
  if (!isOffline() || !event.submitter || !/\/verdict$/.test(form.action)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const fields = new FormData(form);
  const kind = event.submitter.value;
  const body = new URLSearchParams({ token: fields.get("token"), nonce: newNonce(), do: `${kind}:${fields.get("article")}` });
  for (const each of form.querySelectorAll("[aria-pressed]")) each.removeAttribute("aria-pressed");
  if (kind !== "undo") event.submitter.setAttribute("aria-pressed", "true");
  waiting.add(app.root.replace(/\/$/, "") + "/mark", body).then(showConnection);
});

if (app.session && navigator.serviceWorker) {
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
showConnection();
if (!isOffline()) waiting.count().then((count) => count && sendMarks()).catch(() => {});
setInterval(() => { if (isOffline() || !document.getElementById("offline")?.hidden) sendMarks(); }, 15_000);
