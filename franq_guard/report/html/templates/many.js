{
  const STEP = 100;
  const SEVERITY = ["keep", "annotate", "hedge", "block"];
  const get = (id) => document.getElementById(id);
  const table = get("table");
  const form = get("filters");
  const dialog = get("detail");
  const rows = [...table.tBodies[0].rows].map((node) => ({
    node,
    ...node.dataset,
    number: Number(node.dataset.number),
    lowest: Number(node.dataset.lowest),
    doubtful: Number(node.dataset.doubtful),
    action: node.dataset.action,
    severity: SEVERITY.indexOf(node.dataset.action),
    question: node.querySelector("bdi").textContent.toLowerCase(),
    words: node.cells[1].textContent.toLowerCase(),
    opener: node.querySelector(".open"),
  }));
  let sort = { key: "number", sign: 1 };
  let limit = STEP;
  let found = rows;
  let current = null;

  const has = (list, value) => value === "" || list.split(" ").includes(value);

  function matches(row, wanted) {
    return wanted.text.every((word) => row.words.includes(word))
      && (wanted.action === "" || row.action === wanted.action)
      && has(row.verdicts, wanted.verdict)
      && has(row.triggers, wanted.trigger)
      && (wanted.below === "" || row.lowest <= Number(wanted.below))
      && (!wanted.review || row.review === "true");
  }

  function update() {
    const data = new FormData(form);
    const wanted = {
      text: String(data.get("text") || "").toLowerCase().split(/\s+/).filter(Boolean),
      action: data.get("action") || "",
      verdict: data.get("verdict") || "",
      trigger: data.get("trigger") || "",
      below: data.get("below") || "",
      review: data.get("review") !== null,
    };
    const key = sort.key === "action" ? "severity" : sort.key;
    found = rows.filter((row) => matches(row, wanted)).sort((a, b) =>
      sort.sign * (key === "question" ? a.question.localeCompare(b.question) : a[key] - b[key]) || a.number - b.number);
    const shown = found.slice(0, limit);
    table.tBodies[0].replaceChildren(...shown.map((row) => row.node));
    const all = found.length === rows.length ? "" : " of " + rows.length.toLocaleString("en");
    get("count").textContent = found.length.toLocaleString("en") + all + " answer" + (found.length === 1 ? "" : "s")
      + (shown.length < found.length ? ", the first " + shown.length + " shown" : "");
    get("more").hidden = shown.length === found.length;
  }

  function restart() {
    limit = STEP;
    update();
  }

  async function unpack(number) {
    if (!("DecompressionStream" in window)) return "This browser is too old to unpack the details.";
    const bytes = Uint8Array.from(atob(get("d" + number).textContent), (char) => char.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  async function open(row) {
    current = row;
    const html = await unpack(row.number);
    if (current !== row) return;  // another one was asked for meanwhile
    const list = found.filter((other) => other.opener);
    const place = list.indexOf(row);
    get("previous").disabled = place <= 0;
    get("next").disabled = place < 0 || place === list.length - 1;
    get("detail-title").textContent = "Answer " + row.number;
    // A fresh container each time: it takes the listeners of the answer before with it.
    const body = document.createElement("div");
    body.id = "detail-body";
    body.innerHTML = html;  // our own, escaped where it was made; the page's policy runs no script in it
    get("detail-body").replaceWith(body);
    if (body.querySelector(".view")) wire(body);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    get("detail-title").focus();
  }

  function step(by) {
    const list = found.filter((other) => other.opener);
    const next = list[list.indexOf(current) + by];
    if (next) open(next);
  }

  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("[data-key]");
    if (!button) return;
    const key = button.dataset.key;
    const first = key === "doubtful" || key === "action" ? -1 : 1;
    sort = { key, sign: sort.key === key ? -sort.sign : first };
    for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
    button.closest("th").setAttribute("aria-sort", sort.sign > 0 ? "ascending" : "descending");
    update();
  });
  table.addEventListener("click", (event) => {
    const button = event.target.closest(".open");
    if (button) open(rows.find((row) => row.opener === button));
  });
  form.addEventListener("input", restart);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(restart));
  get("more").addEventListener("click", () => {
    const before = limit;
    limit += STEP;
    update();
    const row = found[before];
    if (row && row.opener) row.opener.focus();
  });
  get("previous").addEventListener("click", () => step(-1));
  get("next").addEventListener("click", () => step(1));
  get("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    get("detail-body").replaceChildren();
    if (current && current.opener) current.opener.focus();
  });
  form.hidden = false;
  update();
  // On paper every row that was found is wanted.
  addEventListener("beforeprint", () => {
    const before = limit;
    limit = found.length;
    update();
    addEventListener("afterprint", () => { limit = before; update(); }, { once: true });
  });
}
