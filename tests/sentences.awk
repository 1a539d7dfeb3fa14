# Sentences that are hard to read: awk -f tests/sentences.awk PAGE.md or HEADER.h prints those of
# over 35 words, those that begin with "Who" or "What" and are no questions, and those with a word
# that the field does not use. Code blocks, tables and headings are no sentences. A list's item
# begins a sentence; `code` is one word, and so is a link's target. Of a header the manual and the
# declarations count: in the manual all chapters but the program, in both no text set as code.

BEGIN {
    refused = "vetted|aside|divert(s|ed)?|favourites?|foretells?|foretold|strays?|spoilt|" \
              "blame[sd]?|settle[sd]?|playing|owed|news"
    unread = "^(pool|coarsen)$" # sections that are still to be rewritten
}

function check(sentence,    words, at) {
    if (split(sentence, words, " ") > 35) print FILENAME ":" line ": over 35 words: " sentence
    if (sentence ~ /^(Who|What)(ever)?[ ,]/ && sentence !~ /[?]$/)
        print FILENAME ":" line ": begins with Who or What: " sentence
    for (at in words)
        if (tolower(words[at]) ~ "^[(\"]*(" refused ")[).,:;?!\"]*$")
            print FILENAME ":" line ": not the field's word, " words[at] ": " sentence
}

function end_paragraph() {
    gsub(/`[^`]*`/, "CODE", text)
    gsub(/\]\([^)]*\)/, "]", text)
    gsub(/[[*]*\]*/, "", text)
    while (match(text, /[.?!]\)? +(["A-Z(]|gputune|\.[a-z])/)) {
        check(substr(text, 1, RSTART))
        text = substr(text, RSTART + 1)
        sub(/^\)? +/, "", text)
    }
    sub(/ +$/, "", text)
    if (text != "") check(text)
    text = ""
}

function add(words) {
    if (text == "") line = FNR
    text = text words " "
}

# A line of a header: its comment goes on with the one above if it begins in the same column.
function header(    at, code, words) {
    if (/^\/\/ IMPLEMENTATION$/) over = 1
    if (!/^\/\//) declarations = declarations || NF
    at = index($0, "//")
    code = substr($0, 1, at - 1)
    words = substr($0, at + 2)
    if (over || !at || /^ *#/ || code ~ /"/ || words ~ /^( *| [-=]+)$/) {
        end_paragraph()
        column = 0
        return
    }
    if (words ~ /^ \[[a-z+]+\] /) {
        section = substr(words, 3, index(words, "]") - 3)
        return
    }
    if (!declarations) {
        if (words ~ /^ [A-Z]/) { end_paragraph(); chapter = words; return }
        if (chapter !~ /^ [A-Z ]+(\(|$)/ || words ~ /^         / && words ~ /  |--/) return
        if (words ~ /^(  [0-9]+\.|     -) |^     [^ ].*  /) end_paragraph()
        sub(/^(  [0-9]+\.|     -) /, "", words)
    } else if (section ~ unread || words ~ /^(     |   [".])/) {
        end_paragraph()
        return
    } else if (at != column || code ~ /[^ ]/ || words ~ /^ +- /)
        end_paragraph()
    column = at
    sub(/^ +(- )?/, "", words)
    add(words)
}

FNR == 1 { over = declarations = column = 0; chapter = section = "" }
FILENAME ~ /\.h$/ { header(); next }
/^```/ { code_block = !code_block; end_paragraph(); next }
code_block { next }
/^(\||#|<!--|!\[)/ || /^ *$/ || /^    / { end_paragraph(); next }
/^ *([-*]|[0-9]+\.) / { end_paragraph(); sub(/^ *([-*]|[0-9]+\.) /, "") }
{ add($0) }
END { end_paragraph() }
