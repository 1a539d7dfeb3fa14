# Every figure of a page's tables stands in bench/results: awk -f tests/figures.awk README.md
# prints each that does not. In front of a table:
#
#     <!-- figures N of FILE [FILE ...]: COLUMN | COLUMN ... -->
#
# The table has N rows. FILE is in bench/results; a COLUMN, from the table's second on, names the
# rows of its figures, one for each number in a cell, with % for the row's key, or is -: no figures
# there, or text, which nobody looks at. ROW*0.001 counts in thousands. A cell may name its own,
# <!--FILE: ROW ROW ...-->, which wins over its column. The key is a table's row's first word, or
# stands in its first cell as <!--KEY-->. {A,B,C} in a key or a column stands for two figures, the
# least and the most of these rows. A figure is right if the row's value, rounded as the figure is,
# is the figure, and without decimals within 5 % of it; "268 M" are millions. A cell may be without
# figures only where the files have no such row, and no figure with its unit stands in a first cell.

BEGIN { NUMBER = "^[-+]?[0-9]+[.]?[0-9]*([eE][-+]?[0-9]+)?$" }

function offend(text) { print FILENAME ":" FNR ": " text }

function load(file,    line, cell, path, any) {
    path = "bench/results/" file
    while ((getline line < path) > 0)
        if (split(line, cell, "\t") >= 3 && cell[1] == "result" && cell[3] ~ NUMBER) {
            if (cell[2] in rows && rows[cell[2]] != cell[3]) twice[cell[2]] = 1
            any = rows[cell[2]] = cell[3]
        }
    if (any == "") offend(path " has no rows")
    close(path)
}

# The values of a cell's row names, in wanted[]: how many, or -1 if one is not there.
function look_up(column, key,    names, n, i, name, factor, before, behind, each, k, value, count,
                 least, most) {
    n = split(column, names, " ")
    for (i = 1; i <= n; i++) {
        factor = 1
        name = names[i]
        if (match(name, /\*[0-9.e-]+$/)) {
            factor = substr(name, RSTART + 1) + 0
            name = substr(name, 1, RSTART - 1)
        }
        sub(/%/, key, name)
        before = behind = ""
        count = 1
        each[1] = name
        if (match(name, /\{.*\}/)) {
            before = substr(name, 1, RSTART - 1)
            behind = substr(name, RSTART + RLENGTH)
            count = split(substr(name, RSTART + 1, RLENGTH - 2), each, ",")
        }
        for (k = 1; k <= count; k++) {
            value = before each[k] behind
            if (value in twice) offend(value " has several values")
            if (!(value in rows)) return -1
            value = rows[value] * factor
            if (k == 1 || value < least) least = value
            if (k == 1 || value > most) most = value
        }
        wanted[++found] = least
        if (count > 1) wanted[++found] = most
    }
    return found
}

function abs(value) { return value < 0 ? -value : value }

function check(cell, column, key,    rest, text, n, unit, digits, off) {
    found = n = 0
    if (match(cell, /<!--.*: .*-->/)) { # its own rows
        column = substr(cell, RSTART + 4, RLENGTH - 7)
        cell = substr(cell, 1, RSTART - 1) substr(cell, RSTART + RLENGTH)
        split("", rows)
        split("", twice)
        load(substr(column, 1, index(column, ": ") - 1))
        sub(/^.*: /, "", column)
    }
    if (column == "text") return
    if (column == "-") {
        if (cell ~ /[0-9]/) offend("a figure without a row: " cell)
        return
    }
    if (look_up(column, key) < 0) found = -1
    rest = cell
    while (match(rest, /[-+]?[0-9][0-9,]*(\.[0-9]+)?/)) {
        text = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        gsub(/,/, "", text)
        digits = match(text, /\./) ? length(text) - RSTART : 0
        unit = rest ~ /^ K/ ? 1e3 : rest ~ /^ M/ ? 1e6 : rest ~ /^ G/ ? 1e9 : 1
        if (++n > found) continue
        off = abs(wanted[n] - text * unit)
        if (off > 0.500001 * unit / 10 ^ digits || (!digits && off > 0.05 * abs(wanted[n])))
            offend(key ": " text " where " column " is " wanted[n])
        figures++
    }
    if (n != (found < 0 ? 0 : found))
        offend(key ": " n " figures, " (found < 0 ? "no row" : found " rows") ": " column)
}

/^## / { section = $0 }
/^<!-- figures / {
    split("", rows)
    split("", twice)
    files = $0
    sub(/^<!-- figures /, "", files)
    sub(/:.*/, "", files)
    row_count = files + 0
    if (!sub(/^[0-9]+ of /, "", files)) files = "" # each cell has its own
    spec = $0
    sub(/^[^:]*: /, "", spec)
    sub(/ -->$/, "", spec)
    column_count = split(spec, columns, / \| /)
    file_count = split(files, file, " ")
    for (f = 1; f <= file_count; f++) load(file[f])
    next
}
/^\|/ {
    if (!inside) head = FNR
    inside = 1
    if (FNR < head + 2) next # names, lines
    if (!column_count) {
        if (section == "## Figures" || FILENAME ~ /bench/)
            offend("a table without <!-- figures -->")
        next
    }
    line = $0
    sub(/^\| */, "", line)
    sub(/ *\|$/, "", line)
    cell_count = split(line, cells, / *\| */)
    key = cells[1]
    if (match(key, /<!--.*-->/))
        key = substr(key, RSTART + 4, RLENGTH - 7)
    else
        sub(/[ ,:].*/, "", key)
    label = cells[1]
    sub(/<!--.*-->/, "", label)
    if (label ~ /[0-9] ?([A-Z%]|[mun]?s( |$))/) offend("a figure in the first cell: " label)
    row_count--
    if (cell_count != column_count + 1) offend(cell_count " cells, " column_count + 1 " columns")
    for (c = 2; c <= cell_count; c++) check(cells[c], columns[c - 1], key)
    next
}
{
    if (inside && column_count && row_count) offend(-row_count " rows more than the comment says")
    if (inside) column_count = 0
    inside = 0
}
END {
    least = FILENAME ~ /bench/ ? 500 : 12
    if (figures < least) offend("only " figures + 0 " figures were found")
}
