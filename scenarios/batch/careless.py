"""Charges five orders and writes down which are finished. A kill between a charge and the note that it is
finished charges the order again: the program has a progress file and no key."""

import json
import os

ORDERS = ["C1", "C2", "C3", "C4", "C5"]


def load():
    if not os.path.exists("progress.json"):
        return {"finished": [], "begun": None}
    with open("progress.json") as file:
        return json.load(file)


def save(progress):
    with open("progress.json.new", "w") as file:
        json.dump(progress, file)
    os.replace("progress.json.new", "progress.json")


progress = load()
for order in ORDERS:
    if order in progress["finished"]:
        continue
    progress["begun"] = order
    save(progress)
    with open("charges.log", "a") as log:
        log.write(order + "\n")
    progress["finished"].append(order)
    progress["begun"] = None
    save(progress)
