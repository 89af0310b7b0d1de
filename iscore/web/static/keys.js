// Keyboard shortcuts: j k l d s u o ? and Escape. They click the buttons and links of the page, which works without
// JavaScript too.
"use strict";

const stops = () => [...document.querySelectorAll("[data-stop]")];
const current = () => document.activeElement.closest("[data-stop]");

// The first story in view, before any has the focus.
const inView = () => stops().find((stop) => stop.getBoundingClientRect().bottom > 80);

function go(to) {
  if (!to) return;
  to.focus({ preventScroll: true });
  to.scrollIntoView({ block: "start" });
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

function vote(kind) {
  const here = current() || (stops().length ? null : document);
  if (here) press(`button[name="kind"][value="${kind}"]`, here);
  else go(inView());
}

const keys = {
  j: () => move(1),
  k: () => move(-1),
  l: () => vote("like"),
  d: () => vote("dislike"),
  s: () => vote("skip"),
  u: () => press("[data-undo] button"),
  o: () => press("a[data-out]", current() || document),
  "?": () => document.getElementById("keys").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// A page from the back/forward cache is out of date.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Ignore a second click on the same button.
addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "1";
});

for (const open of document.querySelectorAll("[data-keys]")) {
  open.hidden = false;
  open.addEventListener("click", () => keys["?"]());
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
