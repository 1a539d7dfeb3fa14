# Sentences that are hard to read: awk -f tests/sentences.awk PAGE.md prints those of over 35 words,
# and those that begin with "Who" or "What" and are no questions. Code blocks, tables and headings
# are no sentences. A list's item begins a sentence; `code` is one word, and so is a link's target.

function check(sentence,    words) {
    if (split(sentence, words, " ") > 35) print FILENAME ":" line ": over 35 words: " sentence
    if (sentence ~ /^(Who|What)[ ,]/ && sentence !~ /[?]$/)
        print FILENAME ":" line ": begins with Who or What: " sentence
}

function end_paragraph(    at) {
    gsub(/`[^`]*`/, "CODE", text)
    gsub(/\]\([^)]*\)/, "]", text)
    gsub(/[[*]*\]*/, "", text)
    while (match(text, /[.?!]\)? +[A-Z(]/)) {
        at = RSTART + RLENGTH - 1
        check(substr(text, 1, RSTART))
        text = substr(text, at)
    }
    sub(/ +$/, "", text)
    if (text != "") check(text)
    text = ""
}

/^```/ { code = !code; end_paragraph(); next }
code { next }
/^(\||#|<!--|!\[)/ || /^ *$/ || /^    / { end_paragraph(); next }
/^ *([-*]|[0-9]+\.) / { end_paragraph(); sub(/^ *([-*]|[0-9]+\.) /, "") }
{ if (text == "") line = FNR; text = text $0 " " }
END { end_paragraph() }
