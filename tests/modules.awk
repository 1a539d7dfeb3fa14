# Reads gputune.h. Prints what keeps its modules from standing alone: one that names a symbol of a
# module which neither its banner nor what that stands on lists; a banner that names what does not
# stand above it. With -v caps=FILE prints each module's lines and bytes, declarations included,
# instead, and "over: ..." for each that is over its cap: FILE has lines "NAME NUMBER UNIT", where
# NAME is a module, "module" for those without a line of their own, or "gputune.h".
#
# A module begins with a banner, "// [name] stands on a, b; may use c" between two rules. What it
# may use is compiled in or not, and asked for by #ifdef.

function stands_on(from, on,    i, n, word, part) {
    n = split(on, word, /, */)
    for (i = 1; i <= n; i++) {
        if (word[i] == "nothing") continue
        if (!(word[i] in begins))
            print FILENAME ":" FNR ": [" from "] stands on [" word[i] "], which is not above it"
        for (part in begins) if ((word[i], part) in reach) reach[from, part] = 1
        reach[from, word[i]] = 1
    }
}

function begin(line,    on, more) {
    sub(/^\/\/ \[/, "", line)
    module = line
    sub(/\].*/, "", module)
    on = line
    if (!sub(/^[^]]*\] stands on /, "", on)) {
        print FILENAME ":" FNR ": [" module "] does not say what it stands on"
        on = "nothing"
    }
    more = ""
    if (match(on, /; may use /)) {
        more = substr(on, RSTART + RLENGTH)
        on = substr(on, 1, RSTART - 1)
    }
    stands_on(module, on)
    if (more != "") stands_on(module, more)
    reach[module, module] = 1
    begins[module] = FNR
    order[++modules] = module
}

# Without comments and texts.
function bare(line,    out) {
    gsub(/\\./, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    gsub(/'[^']*'/, "0", line)
    sub(/\/\/.*/, "", line)
    return line
}

function define(name) {
    if (!(name in home) && name !~ /^GT__(HAS_|X$)/) home[name] = module
}

function definitions(line,    text) {
    if (line ~ /^(static|GPUTUNE_API|typedef|extern) / &&
        match(line, /\(?\*?gputune_[a-z0-9_]+\)?\(/)) {
        text = substr(line, RSTART, RLENGTH)
        gsub(/[^a-z0-9_]/, "", text)
        define(text)
    } else if (match(line, /^static [^(=]*gputune_[a-z0-9_]+(\[| =|;)/)) {
        text = substr(line, RSTART, RLENGTH)
        sub(/(\[| =|;)$/, "", text)
        sub(/.*[ *]/, "", text)
        define(text)
    }
    if (match(line, /^(\}|typedef .*) \*?gputune_[a-z0-9_]+;/)) {
        text = substr(line, RSTART, RLENGTH - 1)
        sub(/.*[ *]/, "", text)
        define(text)
    }
    if (match(line, /^struct gputune_[a-z0-9_]+ \{/)) define(substr(line, 8, RLENGTH - 9))
    if (match(line, /^# *define GPUTUNE_[A-Z0-9_]+/)) {
        text = substr(line, RSTART, RLENGTH)
        sub(/^# *define /, "", text)
        define(text)
    }
    if (line ~ /^(typedef )?enum/) constants = 1
    if (constants && match(line, /^    GPUTUNE_[A-Z0-9_]+/)) define(substr(line, 5, RLENGTH - 4))
    if (line ~ /^\}/) constants = 0
}

/^\/\/ -----/ { rule = FNR }
!implementation && /^\/\/ IMPLEMENTATION$/ { implementation = 1; module = "" }
!implementation && FNR == rule + 1 && /^\/\/ \[[a-z]+\]/ {
    module = substr($0, 5)
    sub(/\].*/, "", module)
}
implementation && FNR == rule + 1 && /^\/\/ \[[a-z]+\]/ { begin($0) }
/^\/\/ HISTORY$/ { module = "" }
module != "" {
    bytes[module] += length($0) + 1
    lines[module]++
    if (implementation) {
        definitions(bare($0))
        code[FNR] = $0
        of[FNR] = module
    }
}
{ all += length($0) + 1 }

END {
    if (caps) {
        while ((getline line < caps) > 0) {
            split(line, word, " ")
            most[word[1], word[3]] = word[2]
        }
        lines["gputune.h"] = FNR
        bytes["gputune.h"] = all
        order[++modules] = "gputune.h"
        for (i = 1; i <= modules; i++) {
            name = order[i]
            printf "%-10s %6d lines %8d bytes\n", name, lines[name], bytes[name]
            cap = (name, "lines") in most ? most[name, "lines"] : most["module", "lines"]
            if (name != "gputune.h" && lines[name] > cap)
                print "over: [" name "] has " lines[name] " lines, " cap " are its cap"
            if ((name, "bytes") in most && bytes[name] > most[name, "bytes"])
                print "over: " name " has " bytes[name] " bytes, " most[name, "bytes"] \
                    " are its cap"
        }
        exit
    }
    for (i = 1; i <= FNR; i++) {
        if (!(i in of)) continue
        text = bare(code[i])
        while (match(text, /(gputune_|GPUTUNE_)[A-Za-z0-9_]+/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (!(name in home) || (of[i], home[name]) in reach || (i, name) in told) continue
            told[i, name] = 1
            print FILENAME ":" i ": [" of[i] "] names " name " of [" home[name] "]"
        }
    }
    if (modules < 20) print FILENAME ": " modules + 0 " modules"
}
