// Keeps the last lists and articles for when there is no connection. They belong to one session: a page of another
// session, or of none, deletes them, and so does signing out.
"use strict";

const NAME = `iscore ${self.registration.scope}`;
const FILES = `${NAME} files`;
const PAGES = `${NAME} pages `;
const MOST_FILES = 20;
const MOST_PAGES = 80;
const LARGEST = 1_000_000; // characters of a page
const PICTURES = " pictures";
const MOST_PICTURES = 150;
const LARGEST_PICTURE = 300_000; // bytes
const FRESH = 60_000; // milliseconds in which an article that was fetched ahead is shown at once
const KEPT = /^\/(?:(?:maybe|hidden|all|saved|digest)?|(?:article|feed|folder|label|digest)\/.+)$/;

const base = new URL(self.registration.scope).pathname.replace(/\/$/, "");
const pathOf = (url) => url.pathname.slice(base.length);

self.addEventListener("install", (event) => {
  // What a page reports as it is left gets lost on the way through a worker: it goes past, where browsers can do that.
  event.addRoutes?.({ condition: { urlPattern: { pathname: `${base}/reading` } }, source: "network" });
  self.skipWaiting();
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== self.location.origin || !url.pathname.startsWith(`${base}/`)) return;
  if (request.method === "GET" && pathOf(url).startsWith("/static/") && !/worker|manifest/.test(url.pathname)) {
    event.respondWith(file(request));
  } else if (request.method === "GET" && /^\/(picture|icons)\//.test(pathOf(url))) {
    event.respondWith(picture(request));
  } else if (request.mode === "navigate") {
    event.respondWith(request.method === "GET" ? page(event, url) : sent(request, url));
  }
});

// Pages ask for what is to be kept: themselves when the worker has just come, and, ahead of time, the next article.
self.addEventListener("message", (event) => {
  const { keep: urls = [], ahead = false } = event.data || {};
  event.waitUntil(Promise.all(urls.map(async (each) => {
    const url = new URL(each, self.location.origin);
    if (url.origin !== self.location.origin || !url.pathname.startsWith(`${base}/`)) return;
    if (pathOf(url).startsWith("/static/")) return file(new Request(url));
    if (await fresh(url)) return;
    const answer = await fetch(url, { headers: { purpose: "prefetch" } });
    await keep(url, answer, ahead);
  })).catch(() => {}));
});

async function file(request) {
  const cache = await caches.open(FILES);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    await shorten(cache, MOST_FILES);
  }
  return answer;
}

// The last pictures that pages have shown belong to the session, as the pages do.
async function picture(request) {
  const pages = (await caches.keys()).find((each) => each.startsWith(PAGES) && !each.endsWith(PICTURES));
  const cache = pages && await caches.open(pages + PICTURES);
  const known = await cache?.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (cache && answer.ok && Number(answer.headers.get("content-length") ?? Infinity) <= LARGEST_PICTURE) {
    await cache.put(request, answer.clone());
    await shorten(cache, MOST_PICTURES);
  }
  return answer;
}

async function page(event, url) {
  const { request } = event;
  const ahead = await fresh(url);
  if (ahead) {
    // The server learns of it as of any article that is opened.
    event.waitUntil(fetch(request).then((answer) => keep(url, answer, false)).catch(() => {}));
    return ahead;
  }
  try {
    const answer = await fetch(request);
    await keep(url, answer.clone(), false);
    return answer;
  } catch {
    return (await kept(url)) || unavailable();
  }
}

async function sent(request, url) {
  try {
    const answer = await fetch(request);
    if (pathOf(url) === "/logout") await empty("");
    return answer;
  } catch {
    return unavailable();
  }
}

// The address under which a page is kept: that of a verdict or a mark shows the same list.
function place(url) {
  const found = new URL(url);
  found.hash = "";
  for (const name of ["verdict", "marked", "read", "undone"]) found.searchParams.delete(name);
  return found.href;
}

async function keep(url, answer, ahead) {
  const session = answer.headers.get("x-session");
  if (!session) {
    if (answer.ok && !answer.redirected && answer.type === "basic") await empty("");
    return;
  }
  await empty(PAGES + session);
  if (!answer.ok || answer.redirected || !KEPT.test(pathOf(url))) return;
  const text = await answer.text();
  if (text.length > LARGEST) return;
  const cache = await caches.open(PAGES + session);
  const headers = new Headers(answer.headers);
  headers.set("x-kept", String(Date.now()));
  headers.set("x-ahead", ahead ? "1" : "");
  await cache.delete(place(url)); // so that the last ones are at the end
  await cache.put(place(url), new Response(text, { headers }));
  await shorten(cache, MOST_PAGES);
}

async function find(url) {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PAGES)) continue;
    const cache = await caches.open(name);
    const found = await cache.match(place(url));
    if (found) return [cache, found];
  }
  return [];
}

// Return an article that was just fetched ahead, once; not after a mark or a verdict, which have changed it.
async function fresh(url) {
  const [cache, found] = place(url) === url.href.split("#")[0] ? await find(url) : [];
  if (!found?.headers.get("x-ahead") || Date.now() - Number(found.headers.get("x-kept")) > FRESH) return null;
  const headers = new Headers(found.headers);
  headers.delete("x-ahead");
  const text = await found.text();
  await cache.put(place(url), new Response(text, { headers }));
  return new Response(text, { headers });
}

async function kept(url) {
  const [, found] = await find(url);
  if (!found) return null;
  const text = (await found.text()).replace("<html ", "<html data-offline ");
  return new Response(text, { headers: found.headers });
}

async function empty(except) {
  for (const name of await caches.keys()) {
    if (name.startsWith(PAGES) && name !== except && name !== except + PICTURES) await caches.delete(name);
  }
}

async function shorten(cache, most) {
  const all = await cache.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - most)).map((each) => cache.delete(each)));
}

function unavailable() {
  const [title, words, home] = [gettext("Offline"), gettext("This page is not saved in the browser. Nothing was changed."), gettext("For you")];
  const text = `<!doctype html><html lang="${LANGUAGE}"><head><meta charset="utf-8"><title>iScore · ${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><h1>${title}</h1><p>${words}</p>
<p><a href="${base}/">${home}</a></p></body></html>`;
  return new Response(text, { status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
}
