"""The example of an economy of one's own runs, and prints what it says."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "my_economy.py"


def run():
    done = subprocess.run([sys.executable, EXAMPLE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_it_prints_a_small_table_and_the_same_one_again():
    first = run()
    title, *rows = first.splitlines()
    assert title.split() == ["orchards", "apples", "sold", "coin", "earned"]
    table = [[float(each) for each in row.split()] for row in rows]
    assert [row[0] for row in table] == [1, 16]
    assert all(sold > 0 and coin > 0 for _, sold, coin in table)
    assert run() == first
