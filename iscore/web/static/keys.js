// Keyboard shortcuts, and marks without loading the page. Keys click the buttons and links of the page, which works
// without JavaScript too.
"use strict";

const stops = () => [...document.querySelectorAll("[data-stop]")];
const current = () => document.activeElement.closest("[data-stop]");

// The first story in view, before any has the focus.
const inView = () => stops().find((stop) => stop.getBoundingClientRect().bottom > 80);

function go(to) {
  if (!to) return;
  to.focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const all = stops();
  if (!all.length) return press(by > 0 ? "[data-next]" : "[data-back]");
  const here = current();
  go(here ? all[all.indexOf(here) + by] : inView());
}

function press(what, within = document) {
  const found = within.querySelector(what);
  if (found) found.click();
  return Boolean(found);
}

// What "More" shows is drawn from a template; without a script the server draws it in the row.
function withMenu(story) {
  if (!story?.matches(".row") || story.querySelector(".menu")) return story;
  const id = story.id.slice(2);
  const box = document.createElement("div");
  box.innerHTML = document.getElementById("more").innerHTML.replaceAll("STORY", id);
  const [menu, out, skip] = [".menu", "[data-out]", ".skip"].map((each) => box.querySelector(each));
  if (story.dataset.url) out.href = story.dataset.url;
  else out.remove();
  if (story.querySelector(".skipped")) {
    skip.value = `undo:${id}`;
    skip.setAttribute("aria-pressed", "true");
  }
  menu.hidden = true;
  story.querySelector(".acts").append(menu);
  return story;
}

// Press a button of the story that has the focus, or of the article that is open.
function act(what) {
  const here = withMenu(current()) || (stops().length ? null : document);
  if (here) press(`${what}:not([aria-pressed="true"])`, here);
  else go(inView());
}

function toggle(what) {
  const here = withMenu(current()) || (stops().length ? null : document);
  if (here) press(what, here);
}

function search() {
  const field = [...document.querySelectorAll("[data-search]")].find((each) => each.checkVisibility());
  if (field) field.focus();
  else visit("/search");
}

// Addresses are below the path of the first link, which is that of the app.
function visit(path) {
  location.href = document.querySelector(".brand a").getAttribute("href").replace(/\/$/, "") + path;
}

const places = { f: "/", m: "/maybe", a: "/all", s: "/saved", h: "/hidden", d: "/digest", l: "/lists", r: "/verdicts" };
let going = 0;

const keys = {
  j: () => move(1),
  k: () => move(-1),
  o: () => (stops().length ? toggle("h3 a") : press("a[data-out]")),
  v: () => toggle("a[data-out]"),
  l: () => act("button.like"),
  d: () => act("button.dislike"),
  x: () => act("button.skip"),
  u: () => press('.row button[aria-pressed="true"][value^="undo:"]', current() || document) || press("[data-undo] button"),
  s: () => toggle("button.save"),
  m: () => toggle("button.toggle-read"),
  b: () => showNavigation(),
  1: () => press(".views .headlines"),
  2: () => press(".views .comfortable"),
  3: () => press(".views .cards"),
  g: () => { going = Date.now(); },
  "/": search,
  "?": () => document.getElementById("keys").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const place = Date.now() - going < 1500 && places[event.key];
  going = 0;
  const does = place ? () => visit(place) : keys[event.key];
  if (!does) return;
  event.preventDefault();
  does();
});

// The navigation is beside the page, or a drawer where there is no room.
const nav = document.getElementById("nav");

function showNavigation() {
  if (matchMedia("(min-width: 90rem)").matches) return document.documentElement.classList.toggle("folded");
  const isOpen = nav?.matches(":target");
  location.hash = isOpen ? "main" : "nav";
  if (isOpen) document.querySelector(".open-nav").focus();
}

// The server remembers which folders are open.
nav?.addEventListener("click", (event) => {
  const folder = event.target.closest("summary")?.parentElement;
  if (!folder) return;
  const body = new URLSearchParams({ token: app.token, do: `${folder.open ? "fold" : "unfold"}:${folder.dataset.folder}` });
  fetch(`${app.root.replace(/\/$/, "")}/mark`, { method: "POST", body }).catch(() => {});
});

// What a button unfolds closes with Escape, and when something else is clicked.
function closeOthers(but) {
  for (const each of document.querySelectorAll(".menu")) each.hidden ||= !each.parentElement.contains(but);
  for (const each of document.querySelectorAll(".pop[open]")) {
    if (but && each.contains(but)) continue;
    each.open = false;
    if (!but) each.querySelector("summary").focus();
  }
}

addEventListener("click", (event) => {
  closeOthers(event.target);
  const button = event.target.closest("button.more");
  if (!button) return;
  event.preventDefault();
  const menu = withMenu(button.closest(".row")).querySelector(".menu");
  menu.hidden = !menu.hidden;
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (nav?.matches(":target")) showNavigation();
  else closeOthers();
});

// A page from the back/forward cache is out of date.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Ignore a second click on the same button.
addEventListener("submit", (event) => {
  if (event.target.id === "mark") return mark(event);
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "1";
});

for (const open of document.querySelectorAll("[data-keys]")) {
  open.hidden = false;
  open.addEventListener("click", () => keys["?"]());
}

// Marks: the server answers with the story alone, which replaces the one on the page.
let saying = 0;
function announce(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.add("said");
  clearTimeout(saying);
  saying = setTimeout(() => status.classList.remove("said"), 6000);
}

async function mark(event) {
  const button = event.submitter;
  const [action, id] = button.value.split(":");
  if (!["like", "dislike", "skip", "undo", "save", "unsave", "read", "unread"].includes(action)) return;
  event.preventDefault();
  if (button.dataset.sent) return;
  button.dataset.sent = "1";
  const body = new URLSearchParams(new FormData(event.target, button));
  body.set("nonce", newNonce());
  let answer = null;
  try {
    answer = await fetch(event.target.action, { method: "POST", body, headers: { "x-part": "story" } });
    if (answer.status !== 200 || answer.redirected) throw new Error(answer.statusText);
    const part = document.createElement("template");
    part.innerHTML = await answer.text();
    replace(id, part.content.querySelector("article"), button);
  } catch {
    delete button.dataset.sent;
    // What reached no server, or one where the session has ended, waits.
    const ended = Boolean(answer && needsSignIn(answer));
    const kept = (!answer || ended) && app.account && (await keepMark(event.target.action, body, button, ended).then(() => true, () => false));
    announce(kept ? gettext("Saved in this browser, to be sent later.") : gettext("Not saved. Check the connection and try again."));
  }
}

function replace(id, story, button) {
  const old = document.getElementById(`a-${id}`);
  const whole = old?.matches(".row");
  const focused = document.activeElement !== document.body && (old || document).contains(document.activeElement);
  const name = button.classList[0];
  const fresh = whole ? story : story.querySelector(".marks");
  (whole ? old : document.querySelector(`[data-marks="${id}"]`)).replaceWith(fresh);
  old?.classList.toggle("is-read", story.classList.contains("is-read"));
  if (focused) (document.activeElement === document.body ? (whole ? fresh : fresh.querySelector(`.${name}`)) : null)?.focus({ preventScroll: true });
  const pressed = withMenu(fresh).querySelector(`.${name}`);
  const undone = pressed.getAttribute("aria-pressed") !== "true";
  const what = pressed.textContent || pressed.title.replace(/ \(.\)$/, "");
  if (button.dataset.quiet) return;
  if (name === "toggle-read") announce(story.classList.contains("is-read") ? gettext("Read") : gettext("Unread"));
  else announce(undone ? gettext("%(what)s: undone", { what }) : gettext("%(what)s: done", { what }));
}

// Mark an article as read that the browser could not say the user has opened; not one that it fetched ahead of time.
const unread = document.querySelector("[data-unread]");
if (unread) {
  const opened = () => {
    if (document.visibilityState !== "visible" || document.prerendering) return;
    removeEventListener("visibilitychange", opened, true);
    const button = document.querySelector("button.toggle-read");
    if (!button?.value.startsWith("read:")) return;
    button.dataset.quiet = "1";  // the user asked for nothing
    document.getElementById("mark").requestSubmit(button);
  };
  addEventListener("visibilitychange", opened, true);
  opened();
}

for (const copy of document.querySelectorAll("[data-copy]")) {
  copy.hidden = !navigator.clipboard;
  copy.addEventListener("click", () => navigator.clipboard.writeText(copy.dataset.copy).then(() => announce(gettext("Link copied."))));
}

// After a verdict: announce it to screen readers (they read a live region when it changes) and focus the next story.
const confirmed = document.querySelector("[data-status]");
if (confirmed) setTimeout(() => { document.getElementById("status").textContent = confirmed.parentElement.innerText; }, 100);

function focusNext() {
  const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place || current()) return;
  const follows = (stop) => place.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING;
  (place.matches("[data-stop]") ? place : stops().find(follows))?.focus({ preventScroll: true });
}

// After the browser has scrolled to the fragment, which moves the focus.
addEventListener("load", () => setTimeout(focusNext));

// A picture that cannot be loaded takes no room.
for (const picture of document.querySelectorAll(".whole img, .thumb")) {
  const failed = () => {
    picture.hidden = true;
    picture.closest(".row")?.classList.remove("has-thumb");
  };
  if (picture.complete && !picture.naturalWidth) failed();
  else picture.addEventListener("error", failed);
}

// Work that goes on: look again every few seconds, in place so that nobody loses their place, and load its result.
function lookAgain() {
  const going = document.querySelector("[data-again]");
  if (!going) return;
  setTimeout(async () => {
    try {
      const answer = await fetch(location.pathname);
      const now = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-again]");
      const stay = document.getElementById(going.dataset.stay);
      if (answer.ok && !now && stay) going.replaceWith(stay.content);
      else if (answer.ok && !now) location.replace(location.pathname);
      else if (now) going.replaceWith(now);
    } catch {
      // Without a connection: later.
    }
    lookAgain();
  }, 1000 * going.dataset.again);
}

lookAgain();
