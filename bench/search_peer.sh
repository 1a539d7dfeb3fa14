# shellcheck shell=sh disable=SC2154 # tmp: tests/setup.sh
# Kernel Tuner's strategies on the recorded spaces of a folder: see search_peer.py. PEER_PYTHON is a
# python that has it; without that one is made for the run (venv and pip).
python=${PEER_PYTHON:-python3}
if ! "$python" -c 'import kernel_tuner' 2>/dev/null && [ "${GPUTUNE_INSTALL:-yes}" != no ]; then
    want python3-venv python3 -c 'import ensurepip'
    install_missing || missing=
    python3 -m venv "$tmp/venv" >"$tmp/venv.log" 2>&1 &&
        "$tmp/venv/bin/pip" install -q kernel_tuner >>"$tmp/venv.log" 2>&1 &&
        python=$tmp/venv/bin/python
fi
OMP_NUM_THREADS=1 "$python" bench/search_peer.py "$@"
