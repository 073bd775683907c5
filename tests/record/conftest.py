"""The toy worlds are among the registered ones."""

import pytest
import toy


@pytest.fixture(autouse=True)
def _toy_worlds():
    with toy.registered():
        yield
