# Makes the page that `make help` prints from the comments in the makefiles:
#   ##@ Heading            begins a group, or continues the one of that name
#   ## name: Sentence.     is a target or variable of the group
# Independent of what the makefiles build. `labs` lists the labs.

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
    split("To begin with|To work on a lab|To grade|To teach|To work on the workbook itself|What you may set", wanted, "|")
    for (i = 1; i in wanted; i++) {
        if (!(wanted[i] in lines)) continue
        heading = wanted[i] (wanted[i] == "To work on a lab" ? " (there are: " labs ")" : "")
        printf "\n%s\n%s", heading, lines[wanted[i]]
        shown[wanted[i]] = 1
    }
    for (i = 1; i <= groups; i++)
        if (!(order[i] in shown)) printf "\n%s\n%s", order[i], lines[order[i]]
}
