"""Figures of 1,000 random matrices by scikit-learn and NumPy, for figures.test.ts:

    python3 figures.py > figures.csv        # scikit-learn 1.9, NumPy 2.4

A row: sixteen cells row by row, kappa, quadratic kappa, agreement, PSI; empty: not defined.
"""

import warnings

import numpy as np
from sklearn.metrics import accuracy_score, cohen_kappa_score

SIDE = 4
warnings.simplefilter("ignore")
random = np.random.default_rng(20260517)
old, new = (side.ravel() for side in np.indices((SIDE, SIDE)))


def psi(before, after):
    used = (before + after) > 0
    before, after = before[used].astype(float), after[used].astype(float)
    if np.any(before == 0) or np.any(after == 0) or not np.all(used):
        before, after = before + 0.5, after + 0.5
    before, after = before / before.sum(), after / after.sum()
    return float(np.sum((after - before) * np.log(after / before)))


def shown(value):
    return "" if np.isnan(value) else repr(float(value))


for number in range(1_000):
    most = int(random.choice([2, 10, 1_000, 100_000]))
    cells = random.integers(0, most, SIDE * SIDE)
    cells[random.random(SIDE * SIDE) < random.choice([0, 0.3, 0.8])] = 0
    if cells.sum() == 0:
        cells[number % (SIDE * SIDE)] = 1
    labels = range(SIDE)
    kappas = [
        cohen_kappa_score(old, new, labels=labels, weights=weights, sample_weight=cells)
        for weights in (None, "quadratic")
    ]
    agreement = accuracy_score(old, new, sample_weight=cells)
    matrix = cells.reshape(SIDE, SIDE)
    stability = psi(matrix.sum(axis=1), matrix.sum(axis=0))
    print(*cells, *map(shown, [*kappas, agreement, stability]), sep=",")
