# Makes the page that `make help` prints from the comments in the makefiles:
#   ##@ Heading            begins a group, or goes on with one of that name
#   ## name: Sentence.     one target or variable of the group
# Knows how the page is laid out; what is on it stands beside the rules. `labs` lists the labs there are.

/^##@ / {
    group = substr($0, 5)
    if (!(group in lines)) order[++groups] = group
    next
}

/^## [^ ]+: / {
    name = $2
    sub(/:$/, "", name)
    sentence = $0
    sub(/^## [^ ]+: /, "", sentence)
    lines[group] = lines[group] sprintf("  %-19s %s\n", name, sentence)
}

END {
    print "The GPU concurrency workbook: make TARGET [VARIABLE=value ...]"
    split("To begin with|To work on a lab|To grade|To work on the workbook itself|What you may set", wanted, "|")
    for (i = 1; i in wanted; i++) {
        if (!(wanted[i] in lines)) continue
        printf "\n%s%s\n%s", wanted[i], wanted[i] == "To work on a lab" ? " (there are: " labs ")" : "", lines[wanted[i]]
        shown[wanted[i]] = 1
    }
    for (i = 1; i <= groups; i++)
        if (!(order[i] in shown)) printf "\n%s\n%s", order[i], lines[order[i]]
}
