"""The command `ecumene`."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any

from ecumene.engine import EcumeneError, MissingExtra

_LIBRARIES = ("typer", "rich", "pydantic", "yaml")
REFUSED = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code.

    0: done. 1: a replay differs from its record. 2: refused, with one line that says why on
    standard error. 130: interrupted.

    Parameters
    ----------
    arguments
        What follows ``ecumene`` on the command line; None takes it from `sys.argv`.
    """
    try:
        import typer

        from ecumene.cli.app import app
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _LIBRARIES:
            raise
        return _refuse(MissingExtra(f"the command `ecumene` needs {library}", "cli"))
    previous, warnings.showwarning = warnings.showwarning, _show_warning
    try:
        result = app(
            sys.argv[1:] if arguments is None else list(arguments),
            prog_name="ecumene",
            standalone_mode=False,
        )
    except EcumeneError as error:
        return _refuse(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has gone (`ecumene list | head -1`): no more to say to it.
        sys.stderr.close()
        return 0
    except Exception as error:
        return _usage(error)
    finally:
        warnings.showwarning = previous
    return result if isinstance(result, int) else 0


def _show_warning(message: Warning | str, *_: Any) -> None:
    print(f"ecumene: warning: {message}", file=sys.stderr)


def _refuse(error: EcumeneError) -> int:
    print(f"ecumene: {error}", file=sys.stderr)
    return REFUSED


def _usage(error: Exception) -> int:
    """Let the command-line library show its own errors (unknown flags and the like)."""
    code = getattr(error, "exit_code", None)
    show = getattr(error, "show", None)
    if code is None:
        raise error
    if show is not None:
        show()
    return int(code)
