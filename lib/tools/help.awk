# Makes the page that `make help` prints from the comments in the makefiles:
#   ##@ Heading            begins a group, or continues the one of that name
#   ## name: Sentence.     is a target or variable of the group
# Independent of what the makefiles build. `labs` lists the labs; `page` is student for what a student needs. `without`
# lists the goals that a handout lacks: a page of one leaves them out.

function first_to_last(list,    name, count)
{
    count = split(list, name, " ")
    return count > 2 ? name[1] " to " name[count] : list
}

function is_left_out(name,    goal, count)
{
    count = split(without, goal, " ")
    for (; count; count--) if (name == goal[count]) return 1
    return 0
}

/^##@ / {
    group = substr($0, 5)
    if (!(group in lines)) order[++groups] = group
    next
}

/^## [^ ]+: / {
    name = $2
    sub(/:$/, "", name)
    if (is_left_out(name)) next
    sentence = $0
    sub(/^## [^ ]+: /, "", sentence)
    lines[group] = lines[group] sprintf("  %-19s %s\n", name, sentence)
}

END {
    print "The GPU concurrency workbook: make TARGET [VARIABLE=value ...]"
    student = "To begin with|To work on a lab|What you may set"
    if (without) student = student "|To write a program of your own"
    count = split(page == "student" || without ? student : "To begin with|To work on a lab|To grade|To teach|" \
                  "To write a program of your own|To work on the workbook itself|What you may set|" \
                  "What else you may set", wanted, "|")
    for (i = 1; i <= count; i++) {
        if (!(wanted[i] in lines)) continue
        heading = wanted[i] (wanted[i] == "To work on a lab" ? " (" first_to_last(labs) ")" : "")
        printf "\n%s\n%s", heading, lines[wanted[i]]
        shown[wanted[i]] = 1
    }
    if (without) exit
    if (page == "student") {
        print "\nmake help-all lists the rest: grading, slides, programs of your own, tests."
        exit
    }
    for (i = 1; i <= groups; i++)
        if (!(order[i] in shown)) printf "\n%s\n%s", order[i], lines[order[i]]
}
