#!/bin/sh
# The corpus's kernels in OpenCL C on Oclgrind, a second implementation that also sees accesses out
# of bounds: one plan of each form. Status 77: Oclgrind is not here (GPUTUNE_STRICT=1: a failure).
set -eu
cd "$(dirname "$0")/../.."
oclgrind=
for folder in ${OCLGRIND_LIB:-} /usr/lib/oclgrind /usr/lib64/oclgrind /usr/local/lib/oclgrind; do
    [ ! -e "$folder/liboclgrind-rt-icd.so" ] || oclgrind=$folder/liboclgrind-rt-icd.so
done
if [ -z "$oclgrind" ]; then
    echo "Oclgrind is not installed: Debian has it as oclgrind"
    [ "${GPUTUNE_STRICT:-}" != 1 ] || exit 1
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/vendors"
echo "$oclgrind" >"$work/vendors/oclgrind.icd"
${CC:-gcc} -std=gnu99 -O0 -w -I. -Itests tests/corpus/main.c -o "$work/corpus" -lm
status=0
# Unoptimised: it does not know all that LLVM's optimiser leaves behind.
OCL_ICD_VENDORS=$work/vendors OCLGRIND_LOG=$work/errors CORPUS_FEW=1 CORPUS_SKIP=oclgrind \
    CORPUS_OPTIONS=-cl-opt-disable \
    "$work/corpus" || status=1
[ ! -s "$work/errors" ] || { head -n 40 "$work/errors"; status=1; }
exit $status
