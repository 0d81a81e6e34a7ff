"use strict";
// Texts are already in the page: the script only moves, shows and hides what is there.

const MARKED = ".text [data-claims]:not(.k-faint)";
let wired = new AbortController();

function wire(root) {
  const view = root.querySelector(".view");
  const marks = new Map();
  const cards = new Map();
  for (const card of view.querySelectorAll("[data-claim]")) cards.set(card.dataset.claim, card);
  for (const node of view.querySelectorAll("[data-claims]")) {
    for (const number of node.dataset.claims.split(" ")) {
      if (!marks.has(number)) marks.set(number, []);
      marks.get(number).push(node);
    }
  }
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");  // the number's label and the card say the same
  view.append(tip);
  const byId = (id) => view.querySelector("#" + CSS.escape(id));
  let timer = 0;
  let shownFor = null;

  const highlight = (name, numbers) => {
    for (const node of view.querySelectorAll("." + name)) node.classList.remove(name);
    for (const number of numbers) for (const node of marks.get(number) || []) node.classList.add(name);
  };

  function hideTip() {
    clearTimeout(timer);
    if (tip.hidden) return false;
    tip.hidden = true;
    shownFor = null;
    highlight("hot", []);
    return true;
  }

  function showTip(node) {
    clearTimeout(timer);
    if (shownFor === node) return;
    const numbers = node.dataset.claims.split(" ");
    highlight("hot", numbers);
    tip.replaceChildren(...numbers.slice(0, 3).map((number) => {
      const card = cards.get(number);
      const part = document.createElement("div");
      part.className = [...card.classList].find((name) => name.startsWith("b-"));
      part.append(card.querySelector("h3").cloneNode(true));
      const brief = card.querySelector(".brief") || card.querySelector(".soft");
      if (brief) part.append(brief.cloneNode(true));
      if (card.querySelector(".brief")) {
        const link = document.createElement("a");
        link.href = "#c" + number;
        link.tabIndex = -1;
        link.textContent = "Evidence and details";
        part.append(link);
      }
      return part;
    }));
    if (numbers.length > 3) tip.append("and " + (numbers.length - 3) + " more claims here");
    tip.hidden = false;
    shownFor = node;
    place(node);
  }

  function place(node) {
    const boxes = node.getClientRects();
    const box = boxes[boxes.length - 1] || node.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const height = document.documentElement.clientHeight;
    const left = Math.max(8, Math.min(box.left, width - tip.offsetWidth - 8));
    const below = box.bottom + 6;
    const fits = below + tip.offsetHeight < height - 8;
    tip.style.left = left + "px";
    tip.style.top = (fits ? below : Math.max(8, box.top - tip.offsetHeight - 6)) + "px";
  }

  function go(target) {
    hideTip();
    for (const node of view.querySelectorAll(".claim-card.current, .passage.current")) node.classList.remove("current");
    const outer = target.closest("details");
    if (outer) outer.open = true;
    if (target.matches("[data-claim]")) {
      target.hidden = false;
      highlight("current", [target.dataset.claim]);
    }
    if (target.matches(".claim-card, .passage")) target.classList.add("current");
    if (target.closest(".panel")) byId("view-before").checked = true;
    target.scrollIntoView({ block: target.closest(".panel") ? "nearest" : "start" });
    target.focus({ preventScroll: true });
  }

  view.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    const marked = event.target.closest(MARKED);
    if (link) {
      const target = byId(link.getAttribute("href").slice(1));
      if (target) {
        event.preventDefault();
        go(target);
      }
    } else if (marked && String(getSelection()) === "") {
      const touch = event.pointerType ? event.pointerType === "touch" : matchMedia("(hover: none)").matches;
      if (touch) showTip(marked);
      else go(cards.get(marked.dataset.claims.split(" ")[0]));
    } else if (!event.target.closest(".tip")) {
      hideTip();
    }
  });
  view.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const marked = event.target.closest(MARKED);
    if (marked) showTip(marked);
    else if (event.target.closest(".tip")) clearTimeout(timer);
    else if (shownFor && shownFor !== document.activeElement) {
      clearTimeout(timer);
      timer = setTimeout(hideTip, 250);
    }
  });
  view.addEventListener("focusin", (event) => {
    if (event.target.matches(".text a[data-claims]:focus-visible")) showTip(event.target);
    else if (!tip.contains(event.target)) hideTip();
  });
  view.addEventListener("focusout", (event) => {
    if (!tip.contains(event.relatedTarget)) hideTip();
  });
  wired.abort();
  wired = new AbortController();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (hideTip()) {
      event.preventDefault();
      return;
    }
    const card = document.activeElement.closest(".claim-card");
    const back = card && byId("m" + card.dataset.claim);
    if (back) {
      event.preventDefault();
      go(back);
    }
  }, { signal: wired.signal });

  const controls = view.querySelector("[data-controls]");
  if (controls) {
    const list = view.querySelector(".cards");
    const inOrder = [...cards.values()];
    const byDoubt = [...inOrder].sort((a, b) => a.dataset.p - b.dataset.p);
    const show = controls.querySelector("[data-show]");
    const order = controls.querySelector("[data-order]");
    controls.hidden = false;
    controls.addEventListener("change", () => {
      list.append(...(order.value === "doubt" ? byDoubt : inOrder));
      let count = 0;
      for (const card of inOrder) {
        card.hidden = (show.value === "acted" && card.dataset.action === "keep")
          || (show.value === "review" && card.dataset.review !== "true");
        count += !card.hidden;
      }
      view.querySelector("[data-say]").textContent = count + " of " + inOrder.length + " claims shown";
    });
  }

  const start = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
  if (start) go(start);
}

if (document.getElementById("root")) wire(document.getElementById("root"));
