# Reads a header. Prints a line for each public name between its include guard and its
# implementation: "function NAME", "type NAME" (structs and enums), "callback NAME" (what a function
# pointer is), "field TYPE NAME". What stands behind
# GPUTUNE_DRIVER is the drivers' own and left out.

function words(text,    n, part, i) {
    gsub(/\[[^]]*\]/, "", text)
    n = split(text, part, /,/)
    for (i = 1; i <= n; i++) {
        sub(/[ \t]+$/, "", part[i])
        if (match(part[i], /[A-Za-z_][A-Za-z_0-9]*$/))
            print "field", type, substr(part[i], RSTART, RLENGTH)
    }
}

/^\/\/ IMPLEMENTATION$/ { exit }
!driver && /^#if.*[^_A-Z]GPUTUNE_DRIVER([^_A-Z]|$)/ { driver = 1; depth = 0 }
driver && /^#if/ { depth++ }
driver && /^#endif/ { if (--depth == 0) driver = 0 }
driver { next }
{
    line = $0
    sub(/\/\/.*/, "", line)
    while (match(line, /\/\*[^*]*\*\//))
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
}
/^GPUTUNE_API / && match(line, /gputune_[a-z_0-9]+\(/) {
    print "function", substr(line, RSTART, RLENGTH - 1)
    next
}
/^typedef (struct|enum|union) gputune_[a-z_0-9]+ / && /;/ { print "type", $3; next }
/^typedef (struct|enum) gputune_[a-z_0-9]+ \{/ {
    type = $3
    print "type", type
    kind = $2
    inside = 1
    if (line !~ /\}/) next
    inside = 0
    next
}
/^typedef .*\(\*gputune_[a-z_0-9]+\)/ {
    match(line, /\(\*gputune_[a-z_0-9]+/)
    print "callback", substr(line, RSTART + 2, RLENGTH - 2)
    next
}
inside && /^\}/ { inside = 0; type = ""; statement = ""; next }
inside && kind == "struct" && !/^#/ {
    statement = statement " " line
    if (line ~ /[{}]/) { statement = ""; next } # a union's members count one by one
    while ((at = index(statement, ";"))) {
        one = substr(statement, 1, at - 1)
        statement = substr(statement, at + 1)
        if (match(one, /\(\*[a-z_0-9]+\)/))
            print "field", type, substr(one, RSTART + 2, RLENGTH - 3)
        else words(one)
    }
}
