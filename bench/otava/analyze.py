"""Runs Apache Otava on series: JSON in on stdin, JSON out on stdout. Used by bench/change-points.ts."""

import json
import sys
import time
from importlib.metadata import version

from otava.analysis import compute_change_points


def analyze(job):
    points = []
    start = time.perf_counter()
    for series in job["series"]:
        found, _ = compute_change_points(series, job["windowLength"], job["maxP"], job["minStep"])
        points.append([int(point.index) for point in found])
    return {"points": points, "seconds": time.perf_counter() - start}


results = [analyze(job) for job in json.load(sys.stdin)]
json.dump({"version": version("apache-otava"), "results": results}, sys.stdout)
