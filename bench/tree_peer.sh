# shellcheck shell=sh disable=SC2154 # tmp: tests/setup.sh
# scikit-learn on what bench_tree.c has written down. PEER_PYTHON is a python that has it; without
# that one is made for the run (venv and pip), and where that cannot be done only gputune's figures
# are printed.
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
