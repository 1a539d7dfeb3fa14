# shellcheck shell=sh disable=SC2154,SC2034 # tmp, missing: tests/setup.sh
# scikit-learn and rpart on what bench_tree.c has written down. PEER_PYTHON is a python that has the
# former; without that one is made for the run (venv and pip). rpart is R's, from Debian's packages.
# Where one of them cannot be had, its figures are left out and stderr says so.
python=${PEER_PYTHON:-python3}
if ! "$python" -c 'import sklearn' 2>/dev/null && [ "${GPUTUNE_INSTALL:-yes}" != no ]; then
    want python3-venv python3 -c 'import ensurepip'
    install_missing || missing=
    python3 -m venv "$tmp/venv" >"$tmp/venv.log" 2>&1 &&
        "$tmp/venv/bin/pip" install -q numpy scikit-learn >>"$tmp/venv.log" 2>&1 &&
        python=$tmp/venv/bin/python
fi
if "$python" -c 'import sklearn' 2>/dev/null; then
    OMP_NUM_THREADS=1 "$python" bench/tree_peer.py "$GPUTUNE_TREE_TASKS"
else
    say "no scikit-learn here: see PEER_PYTHON in bench/tree_peer.sh"
fi

has_rpart() { Rscript -e 'library(rpart)' >/dev/null 2>&1; }
want r-base-core has_rpart
want r-cran-rpart has_rpart
install_missing || missing=
if has_rpart; then
    Rscript bench/tree_peer.R "$GPUTUNE_TREE_TASKS"
else
    say "no rpart here (Debian: r-base-core, r-cran-rpart): its figures are left out"
fi
