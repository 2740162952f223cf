// Charges five orders and writes down which are finished. A kill between a charge and the note that it is
// finished charges the order again: the program has a progress file and no key.
import fs from "node:fs";

const orders = ["C1", "C2", "C3", "C4", "C5"];

function load() {
  if (!fs.existsSync("progress.json")) return { finished: [], begun: null };
  return JSON.parse(fs.readFileSync("progress.json", "utf8"));
}

function save(progress) {
  fs.writeFileSync("progress.json.new", JSON.stringify(progress));
  fs.renameSync("progress.json.new", "progress.json");
}

const progress = load();
for (const id of orders) {
  if (progress.finished.includes(id)) continue;
  progress.begun = id;
  save(progress);
  fs.appendFileSync("charges.log", id + "\n");
  progress.finished.push(id);
  progress.begun = null;
  save(progress);
}
