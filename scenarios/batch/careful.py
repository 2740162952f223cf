"""Charges five orders, each once, wherever it is killed: the progress file says where to go on, and the
order's id, looked up in the log before the charge, says whether it happened."""

import json
import os

ORDERS = ["C1", "C2", "C3", "C4", "C5"]


def write(name, mode, text):
    """Puts the text on disk before it returns."""
    with open(name, mode) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sync_folder():
    """Makes a new name in the folder last."""
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def load():
    if not os.path.exists("progress.json"):
        return {"finished": [], "begun": None}
    with open("progress.json") as file:
        return json.load(file)


def save(progress):
    """Replaces the file whole: a kill leaves the old one or the new one."""
    write("progress.json.new", "w", json.dumps(progress))
    os.replace("progress.json.new", "progress.json")
    sync_folder()


def charged():
    """Returns the ids in the log. A line without its end was never written: it is cut off."""
    if not os.path.exists("charges.log"):
        return []
    with open("charges.log") as log:
        text = log.read()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        os.truncate("charges.log", len(whole))
    return whole.split()


def charge(order):
    if order in charged():
        return
    write("charges.log", "a", order + "\n")
    sync_folder()


progress = load()
for order in ORDERS:
    if order in progress["finished"]:
        continue
    progress["begun"] = order
    save(progress)
    charge(order)
    progress["finished"].append(order)
    progress["begun"] = None
    save(progress)
