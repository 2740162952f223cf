// Charges five orders, each once, wherever it is killed: the progress file says where to go on, and the
// order's id, looked up in the log before the charge, says whether it happened.
import fs from "node:fs";

const orders = ["C1", "C2", "C3", "C4", "C5"];

// write puts the text on disk before it returns.
function write(name, flags, text) {
  const file = fs.openSync(name, flags);
  fs.writeSync(file, text);
  fs.fsyncSync(file);
  fs.closeSync(file);
}

// syncFolder makes a new name in the folder last.
function syncFolder() {
  const folder = fs.openSync(".", "r");
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

function load() {
  if (!fs.existsSync("progress.json")) return { finished: [], begun: null };
  return JSON.parse(fs.readFileSync("progress.json", "utf8"));
}

// save replaces the file whole: a kill leaves the old one or the new one.
function save(progress) {
  write("progress.json.new", "w", JSON.stringify(progress));
  fs.renameSync("progress.json.new", "progress.json");
  syncFolder();
}

// charged returns the ids in the log. A line without its end was never written: it is cut off.
function charged() {
  if (!fs.existsSync("charges.log")) return [];
  const text = fs.readFileSync("charges.log", "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) fs.truncateSync("charges.log", whole.length);
  return whole.split("\n").filter((line) => line !== "");
}

function charge(id) {
  if (charged().includes(id)) return;
  write("charges.log", "a", id + "\n");
  syncFolder();
}

const progress = load();
for (const id of orders) {
  if (progress.finished.includes(id)) continue;
  progress.begun = id;
  save(progress);
  charge(id);
  progress.finished.push(id);
  progress.begun = null;
  save(progress);
}
