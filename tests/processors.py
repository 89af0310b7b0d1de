"""Run tests with the machine code of other processors: ``python -m tests.processors tests/extractors``.

The last bits of a number depend on the processor: OpenBLAS, NumPy, numba and the C library have several versions of a
function, and take the one for the most that the processor can do. Each setting makes them take others. A setting that
needs more than this processor has would crash, so it is left out. ``make test-processors`` runs this.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NamedTuple

from numpy._core import _multiarray_umath as umath

FOUND = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__[name]]
"""What NumPy has versions for and this processor has. To disable any other name is an error."""
AVX512 = [name for name in FOUND if name.startswith("AVX512") or name == "X86_V4"]

SHOW = """
import threadpoolctl
from llvmlite.binding import get_host_cpu_name
from numba.core import config
from tests.processors import FOUND
blas = {each["architecture"] for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"}
print("OpenBLAS", *blas, "| NumPy", *(FOUND or ["baseline"]), "| numba", config.CPU_NAME or get_host_cpu_name())
"""


class Setting(NamedTuple):
    """A kind of processor."""

    name: str
    needs: tuple[str, ...]
    """Features of the processor, by NumPy's names."""
    disabled: list[str]
    """Features that NumPy leaves unused."""
    variables: dict[str, str]


SETTINGS = (
    Setting("AVX-512", ("AVX512_SKX",), [], {"OPENBLAS_CORETYPE": "SkylakeX"}),
    Setting("AVX2 in OpenBLAS", ("AVX2", "FMA3"), [], {"OPENBLAS_CORETYPE": "Haswell"}),
    # OpenBLAS in wheels has the same versions for Zen as for Haswell; one that was built elsewhere may have others.
    Setting("AVX2", ("AVX2", "FMA3"), AVX512, {"OPENBLAS_CORETYPE": "Zen"}),
    Setting(
        "SSE4.2",
        ("SSE42",),
        FOUND,
        {
            "OPENBLAS_CORETYPE": "Nehalem",
            "NUMBA_CPU_NAME": "generic",
            "NUMBA_CACHE_DIR": f"{sys.prefix}/kernels-generic",
            "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
        },
    ),
)


def run(setting: Setting, arguments: list[str]) -> str:
    """Run pytest under a setting; return how it went, in one line."""
    if missing := [name for name in setting.needs if not umath.__cpu_features__.get(name)]:
        return f"left out, since this processor lacks {' and '.join(missing)}"
    variables = {**setting.variables, "NPY_DISABLE_CPU_FEATURES": " ".join(setting.disabled)}
    print(f"\n{setting.name}: {' '.join(f'{name}={value!r}' for name, value in variables.items())}", flush=True)

    def python(*command: str) -> int:
        return subprocess.run([sys.executable, *command], env=os.environ | variables, check=False).returncode

    failed = (
        python("-c", SHOW)
        # What make did for this processor's own kernels; it takes seconds when they are compiled.
        or python("-m", "iscore.services.compilation")
        or python("-m", "tests.compile_kernels")
        or python("-m", "pytest", *arguments)
    )
    return "failed" if failed else "passed"


def main() -> int:
    """Run the tests that the arguments name under each setting."""
    outcomes = {setting.name: run(setting, sys.argv[1:]) for setting in SETTINGS}
    print("", *(f"{name}: {outcome}" for name, outcome in outcomes.items()), sep="\n")
    return int("failed" in outcomes.values())


if __name__ == "__main__":
    sys.exit(main())
