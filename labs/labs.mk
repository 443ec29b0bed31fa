# The labs. Every folder labs/labNN-name is one, its solution is in solutions/labNN-name; a new one is found by itself.
# labs/labNN-template, with letters for its number, is what `make new-lab` copies: it is built and proven as labs are.

# A lab that uses a library which a machine may lack is left out there: LIBRARY.LAB names the library, HEADER.LAB its header.
LIBRARY.lab13 := png
HEADER.lab13  := png.h
lab_of       = $(firstword $(subst -, ,$(notdir $1)))
lab_of_each  = $(foreach folder,$1,$(call lab_of,$(folder)))
has_header   = printf '\043include <%s>\n' $(HEADER.$1) | PATH='$(PATH)' C_INCLUDE_PATH='$(C_INCLUDE_PATH)' $(CC) -E -x c -
# The compiler is asked only where the header is in none of the usual places.
lacks        = $(if $(HEADER.$1),$(if $(wildcard $(addsuffix /$(HEADER.$1),/usr/include $(HEADER_PLACES))),,$(shell $(call \
               has_header,$1) >/dev/null 2>&1 || echo yes)))
LEFT_OUT    := $(foreach folder,$(wildcard labs/lab[0-9][0-9]-*),$(if $(call lacks,$(call lab_of,$(folder))),$(folder)))
LAB_FOLDERS := $(filter-out $(LEFT_OUT),$(wildcard labs/lab[0-9][0-9]-*))
LABS        := $(call lab_of_each,$(LAB_FOLDERS))
LAB_VERBS   := solution hint memcheck debug watch starter reset timeline $(if $(HANDED_OUT),,wrong)
LAB_GOALS   := $(foreach lab,$(LABS),$(lab) $(LAB_VERBS:%=$(lab)-%)) $(if $(filter lab13,$(LABS)),lab13-page)
TEMPLATE    := labs/labNN-template
$(foreach folder,$(LAB_FOLDERS) $(TEMPLATE),$(eval LAB_FOLDER.$(call lab_of,$(folder)) := $(folder)))
solution_of  = $(LAB_FOLDER.$1:labs/%=solutions/%)/$1.c
# In a handout (grader/handout) a lab's checks, program and solution come compiled, in compiled/MACHINE of its folder, and its
# solution may be missing: then the lab is CLOSED. Elsewhere all this is empty.
COMPILED     := $(if $(HANDED_OUT),$(wildcard $(LAB_FOLDERS:%=%/compiled)))
MACHINE      := $(if $(COMPILED),$(firstword $(subst -, ,$(shell $(CC) -dumpmachine))))
CLOSED       := $(if $(HANDED_OUT),$(foreach lab,$(LABS),$(if $(wildcard $(call solution_of,$(lab))),,$(lab))))
SOLVED       := $(filter-out $(CLOSED),$(LABS))
compiled      = $(and $(COMPILED),$(wildcard $1/compiled/$(MACHINE)/$2.o))
# The files in which students write. git ignores them, and `make lint` and proofs leave them alone.
$(foreach lab,$(LABS),$(eval file_of.$(lab) := $(LAB_FOLDER.$(lab))/$(lab).c))
STUDENTS_FILES := $(foreach lab,$(LABS),$(file_of.$(lab)))

# What is misspelled: lab3, Lab03 and lab-03 are taken for lab03.
UNKNOWN_LAB := $(firstword $(filter-out $(LAB_GOALS),$(filter lab% Lab% LAB%,$(MAKECMDGOALS))))
small_lab    = $(subst lab-,lab,$(subst Lab,lab,$(subst LAB,lab,$1)))
meant_lab    = $(firstword $(filter $(LAB_GOALS),$(small_lab) $(small_lab:lab%=lab0%)))
right_lab    = $(filter $(LABS),$(call lab_of,$(small_lab)))
ask_for_lab  = $(or $(patsubst %,there is %,$(meant_lab)),$(patsubst %,after % can stand \
               $(LAB_VERBS:%=-%),$(right_lab)),the labs are $(LABS))
ifneq ($(filter $(call lab_of,$(UNKNOWN_LAB)),$(call lab_of_each,$(LEFT_OUT))),)
$(error $(call lab_of,$(UNKNOWN_LAB)) needs lib$(LIBRARY.$(call lab_of,$(UNKNOWN_LAB))), which is missing here: run make setup)
endif
ifneq ($(UNKNOWN_LAB),)
$(error There is no $(UNKNOWN_LAB): $(call ask_for_lab,$(UNKNOWN_LAB)))
endif
LONE_VERB := $(firstword $(filter $(LAB_VERBS),$(MAKECMDGOALS)))
ifneq ($(LONE_VERB),)
$(error Of which lab? As in make $(firstword $(LABS))-$(LONE_VERB))
endif

ifneq ($(and $(COMPILED),$(filter $(LAB_GOALS),$(MAKECMDGOALS))),)
ifeq ($(wildcard $(addsuffix /$(MACHINE),$(COMPILED))),)
$(error The labs of this handout were compiled for $(notdir $(wildcard $(firstword $(COMPILED))/*)), and this machine is a $(MACHINE))
endif
endif

# The harness: worker files go into the program that runs the student's functions, the others into the checks.
HARNESS_WORKER := $(wildcard grader/harness/worker/*.c)
HARNESS_CHECK  := $(filter-out $(HARNESS_WORKER),$(wildcard grader/harness/*.c grader/harness/*/*.c))

# What a lab consists of, in build/NAME/:
#   checks        the trusted side
#   reference     the untrusted side with the workbook's solution
#   program.o     the untrusted side without the student's file, which labcheck compiles
#   program.link  what labcheck links that with, a list of words
#   contract      the functions and tables that the solution defines, as nm lists them
#   wrong/        the wrong answers: the solution with each patch of the lab's wrong/ applied
STUDENT_CODE := grader/harness/worker/student_code.ld
# $(call lab_parts,NAME,CHECKS,PROGRAM,SOLUTION) makes them from these sources.
lab_parts = $(call lab_checks,$1,$2)$(call program,plain,$1/reference,$3 $4,liblab-remote.a,$(lab_library) $(LIB_LIBRARIES))$(call \
            remember,$(BUILD)/$1/program.o.from,$3)$(eval $(program_object_rule))$(eval $(contract_rule))$(call \
            remember,$(BUILD)/$1/program.link,$(abspath $(BUILD)/$1/program.o $(BUILD)/liblab-remote.a) -T $(abspath $(STUDENT_CODE)) $(lab_library) $(LIB_LIBRARIES))
lab_checks = $(call program,plain,$1/checks,$2 $(HARNESS_CHECK),libgrader.a libserved.a liblab.a,$(lab_library) $(LIB_LIBRARIES))
lab_library = $(LIBRARY.$1:%=-l%)
lab_files  = $(addprefix $(BUILD)/$1/,checks reference program.o program.link contract)

define program_object_rule
$(BUILD)/$1/program.o: $(call objects,plain,$3) $(BUILD)/$1/program.o.from
	$$(call say,link,$$@)
	$$Q$$(begin) $(CC) -r -nostdlib -o $$(NEW) $$(filter %.o,$$^) $$(end)
endef

define contract_rule
$(BUILD)/$1/contract: $(call objects,plain,$4)
	$$Q$$(begin) nm -P -g --defined-only $$< >$$(NEW) $$(end)
endef

$(call needs,verify verify-load $(if $(NAME),$(LABS:%=%-wrong)),patch)
# GDB names another debugger.
$(call needs,$(if $(GDB),,$(LABS:%=%-debug)),gdb)

# A verdict says what there is to say; make would add a line, "*** [lab04] Error 1". At a terminal, asked for one verdict and
# nothing else, it does not: in question mode (-q) a recipe that calls make and ends with 1 is an answer, and make ends with 1
# too. Everything is built by that other make, which is in no such mode.
VERDICTS       := $(LABS) $(SOLVED:%=%-solution) $(LABS:%=%-memcheck)
ONLY_A_VERDICT := $(and $(MAKE_TERMERR),$(filter 0,$(MAKELEVEL)),$(if $(ASKED_WITH),,plain),$(filter \
                  1,$(words $(MAKECMDGOALS))),$(filter $(VERDICTS),$(MAKECMDGOALS)))
MAKEFLAGS      += $(if $(ONLY_A_VERDICT),-q)
build_lab       = MAKEFLAGS= $(MAKE) --no-print-directory $(JOBS) $(MAKEOVERRIDES) ready-$(call lab_of,$@)
print_verdict   = $(if $(ONLY_A_VERDICT),+@$(build_lab) && $1,@$(tell_built); $1)

# The wrong answers of a lab, and the options to compile what was made from its solution.
wrong_of     = $(PATCHED.$(BUILD)/$1/wrong)
options.made = $(call options.labs,$1,$(notdir $(LAB_FOLDER.$2)))

define lab_rules
$(call lab_parts,$1,$(or $(call compiled,$2,checks*),$(wildcard $2/checks*.c)),$(or \
    $(call compiled,$2,program),$2/program.c) $(HARNESS_WORKER),$(or $(call compiled,$2,solution),$(call solution_of,$1)))
$(call patched,$(BUILD)/$1/wrong,$2/wrong,$(call solution_of,$1))
LAB_READY.$1 := $(BUILD)/bin/labcheck $(BUILD)/bin/labserver $(BUILD)/bin/labkernels $(BUILD)/liblab-remote.a $(filter-out %/model_validate %/model_programs %/labprofile,$(TOOLS)) $(call lab_files,$1)
ready-$1 $1-hint $1-timeline $1-debug $(if $(ONLY_A_VERDICT),,$1 $1-memcheck $(filter $1-solution,$(SOLVED:%=%-solution))): $$(LAB_READY.$1)
$1-watch: | $$(LAB_READY.$1)
endef
$(foreach folder,$(LAB_FOLDERS) $(TEMPLATE),$(eval $(call lab_rules,$(call lab_of,$(folder)),$(folder))))
$(LABS:%=ready-%):
	@$(tell_built)
LABS_READY := $(sort $(foreach lab,$(LABS),$(LAB_READY.$(lab))))
WRONG      := $(foreach lab,$(LABS) $(call lab_of,$(TEMPLATE)),$(call wrong_of,$(lab)))

# What a student has reached, and which hints were taken: kept next to the labs, so that `make clean` leaves it alone.
PROGRESS := .progress.json

# All labs are proven, or those that the command line names: make verify LAB='lab00 lab04'.
VERIFIED = $(if $(filter command,$(firstword $(origin LAB))),$(LAB),$(LABS) $(call lab_of,$(TEMPLATE)))

# What takes longest takes turns by the day of the week: a seventh of each lab's wrong answers, what the adversary and
# the mutants prove of a seventh of the labs, a seventh of the programs for labcc, and of the tests what
# lib/tools/turns.txt lists. TURN is today's of the TURNS; empty for all, with WHOLE, SEED or where labs are named. It is
# asked for once in a make, in which midnight then changes nothing.
TURNS     = 7
TURN      = $(eval TURN := $(turn_today))$(TURN)
turn_today = $(if $(or $(WHOLE),$(SEED),$(filter command,$(firstword $(origin LAB)))),,$(shell expr "$$(date +%s)" / 86400 % $(TURNS) + 1))
in_turn   = $(if $(TURN),$(shell printf '%s\n' $1 | awk 'NR % $(TURNS) + 1 == $(TURN)'),$1)
IN_TURN   = $(call in_turn,$(VERIFIED))
tell_turn = echo 'Today a seventh of the wrong answers, and adversary and mutants of $(strip $(IN_TURN)).'; \
            echo 'All of it: WHOLE=1, or LAB=lab03 for a lab.'

# Each patch that does not apply is named, not the first one alone.
MAKEFLAGS += $(if $(filter verify verify-load,$(MAKECMDGOALS)),-k)

# The one place that knows how labcheck is called.
LABCHECK       = $(BUILD)/bin/labcheck --root . --build '$(BUILD)' $(if $(SEED),--seed '$(SEED)') $(if $(GRADED),--graded) $(if $(V),--whole)
# Your file, in the shell's words: FILE, or the one in the lab's folder, which the lab's first goal makes of its starter.
your_file      = $(call quoted,$(or $(FILE:~/%=$(HOME)/%),$(file_of.$1)))
quoted         = '$(subst ','\'',$1)'
begin_file     = $(if $(FILE),,lib/tools/your-file.sh begin $(LAB_FOLDER.$1) && )
ifneq ($(FILE),)
ifneq ($(shell test -f $(your_file) || echo missing),)
$(error FILE=$(FILE): there is no such file)
endif
LABS_ASKED := $(call lab_of_each,$(filter $(LAB_GOALS),$(MAKECMDGOALS)))
LAB_OF_FILE := $(filter $(LABS),$(basename $(notdir $(FILE))))
ifneq ($(and $(LABS_ASKED),$(filter-out $(LABS_ASKED),$(LAB_OF_FILE))),)
$(error FILE=$(FILE): this is a file of $(LAB_OF_FILE), and not of $(LABS_ASKED))
endif
endif
verdict_asks   = $(if $(PREDICT),--predict $(call quoted,$(PREDICT))) $(if $(LESSONS),--lessons $(call quoted,$(LESSONS)))
check_yours    = $(begin_file)$(LABCHECK) --lab $1 --source $(your_file) --out '$(BUILD)/$1' $(verdict_asks) $(if $(FILE),,--progress $(PROGRESS))
check_memory   = $(begin_file)LAB_MEMCHECK=1 LAB_RACECHECK=1 LAB_INITCHECK=1 LAB_SYNCCHECK=1 $(LABCHECK) --lab $1 --source $(your_file) --out '$(BUILD)/$1/memcheck'
check_one      = $(LABCHECK) --lab $1 --source $(your_file) --out '$(BUILD)/$1/debug' --one-check --seconds 86400 $(if $(CHECK),--check '$(CHECK)')
check_solution = $(LABCHECK) --lab $1 --source $(call solution_of,$1) --out '$(BUILD)/$1/solution' $(verdict_asks)
draw_timeline  = $(LABCHECK) --lab $1 --timeline $(if $(CHECK),--check '$(CHECK)')
print_hint     = $(LABCHECK) --lab $1 --hint '$(HINT)' $(if $(CHECK),--check '$(CHECK)') --progress $(PROGRESS)
verify_labs    = $(LABCHECK) --verify --lab '$1'

CONTRACT      := lib/tools/contract.py
verify_texts   = lib/tools/python.sh $(CONTRACT) $(foreach lab,$(VERIFIED),$(LAB_FOLDER.$(lab)))

# A part of the workbook without slides, such as the one that Gradescope unpacks, has none to check.
verified_slides = $(call check_slides,$(if $(filter command,$(firstword $(origin LAB))),$(LAB)))
verify_all      = { $(call run_proofs,verify); $(verify_texts); $(if $(value check_slides),$(verified_slides);) } | \
                  lib/tools/sum.sh $(if $(value check_slides),3,2)

# Proofs whose result is kept while nothing changes that they depend on (proofs.py). A recipe lists them, each with
# $(call list_proof,LIST,COMMAND,INPUTS), between $(call begin_list,LIST) and $(call end_list,LIST), and runs them. What is
# proven about a lab depends on all that the lab is made of, and on the files of its folders, but for those that nothing
# reads there: the lesson, and the file in which a student writes. With SEED a run is one of its own. Labs that are named
# have a list of their own: several makes may prove different labs at once.
proofs_of  = $(BUILD)/$(subst $() ,-,$(strip $1 $(if $(filter command,$(firstword $(origin LAB))),$(LAB)))).proofs
begin_list = $(file >$(proofs_of))
list_proof = $(file >>$(proofs_of),$2 ; $3)
end_list   = $(file >>$(proofs_of),.)
run_proofs = lib/tools/proofs.py $(if $(SEED),--unkept,$(if $(FRESH),--fresh)) '$(BUILD)/proved' '$(proofs_of)'
lab_inputs = $(LAB_READY.$1) $(STUDENT_CODE) $(wildcard labs/equivalent.txt lib/include/*.h) $(filter-out %/README.md $(file_of.$1),$(wildcard \
             $(addprefix $(LAB_FOLDER.$1)/,* */*) $(dir $(call solution_of,$1))*))
verify_inputs = $(call lab_inputs,$1) $(call wrong_of,$1)

.PHONY: $(LAB_GOALS) $(LABS:%=ready-%) progress new-lab verify verify-load

##@ To work on a lab
## labNN: Builds your file, runs the lab's checks, says the verdict.
$(LABS):
	$(call print_verdict,$(call check_yours,$@))

## labNN-solution: Does the same with the workbook's own solution.
$(SOLVED:%=%-solution): %-solution:
	$(call print_verdict,$(call check_solution,$*))
$(CLOSED:%=%-solution): %-solution:
	@lib/tools/no-solution.sh $*

## labNN-hint: Prints the next hint for the first check that failed.
$(LABS:%=%-hint): %-hint:
	@$(tell_built); $(call print_hint,$*)

## labNN-memcheck: Runs the checks; says which kernel misses memory or races.
$(LABS:%=%-memcheck): %-memcheck:
	$(call print_verdict,$(call check_memory,$*))

## labNN-debug: Runs one check, CHECK, with your program in gdb.
$(LABS:%=%-debug): %-debug:
	@$(tell_built); $(call begin_file,$*)lib/tools/debug-lab.sh $(call your_file,$*) $(call check_one,$*)

## labNN-watch: Runs the checks again whenever you save.
$(LABS:%=%-watch): %-watch:
	@$(tell_built); $(call begin_file,$*)exec env MAKELEVEL= MAKEFLAGS= MAKE="$(MAKE) $(MAKEOVERRIDES)" lib/tools/watch-lab.py $* $(LAB_FOLDER.$*) $(call your_file,$*)

## labNN-reset: Starts over with the starter; your file is kept.
$(LABS:%=%-reset): %-reset:
	@lib/tools/your-file.sh reset $(LAB_FOLDER.$*) '$(YES)'

## labNN-starter: Shows how the starter has changed since you began.
$(LABS:%=%-starter): %-starter:
	@lib/tools/your-file.sh changes $(LAB_FOLDER.$*) '$(YES)'

## labNN-timeline: Draws your last run, or CHECK's, measured and modelled.
$(LABS:%=%-timeline): %-timeline:
	@$(tell_built); lib/tools/show-timeline.sh $* '$(BUILD)' '$(CHECK)' $(call draw_timeline,$*)

## progress: Prints the labs with the points you reached.
progress: $(BUILD)/bin/labcheck
	@$(tell_built); $(LABCHECK) --show-progress --progress $(PROGRESS)

# The page of lab 13: pictures in and out, and the timeline.
ifneq ($(LAB_FOLDER.lab13),)
$(call program,plain,lab13/draw,$(LAB_FOLDER.lab13)/draw.c,,-lpng)
endif
## lab13-page: Runs your lab 13 over drawn pictures; a page shows them.
lab13-page: $(BUILD)/lab13/draw $(BUILD)/liblab.a
	@$(tell_built); $(call begin_file,lab13)LIBRARIES='$(LIB_LIBRARIES)' $(LAB_FOLDER.lab13)/page.sh $(call your_file,lab13) '$(BUILD)' '$(or $(SEED),13)' $(CC)

##@ To work on the workbook itself
VERIFY_NEEDS = $(foreach lab,$(VERIFIED),$(LAB_READY.$(lab)) $(call wrong_of,$(lab)))
## verify: Proves all labs, or LAB's, and checks their texts.
verify: $(VERIFY_NEEDS)
	$(call begin_list,verify)
	$(foreach lab,$(VERIFIED),$(call list_proof,verify,$(call verify_labs,$(lab)) $(if $(TURN),--turn $(TURN)/$(TURNS)),$(call verify_inputs,$(lab))))
	$(if $(value adversary_of),$(foreach lab,$(IN_TURN),$(call \
	    list_proof,verify,$(call adversary_of,$(lab)),$(call mutating_inputs,$(lab)))$(call \
	    list_proof,verify,$(call few_mutants_of,$(lab)),$(call mutating_inputs,$(lab)) $(CONTRACT))))
	$(call end_list,verify)
	@echo 'A wrong answer meets the check that it names; a starter those that measure no'
	@echo 'times, up to the first that it fails. The other checks are not measured.'
	@$(if $(TURN),$(tell_turn))
	@$(verify_all)

## verify-load: The same, TIMES times on a busy machine: equal verdicts.
verify-load: $(VERIFY_NEEDS)
	@lib/tools/verify-load.sh '$(TIMES)' '$(BUILD)/verify-load' $(call verify_labs,$(VERIFIED)) --all-checks

## labNN-wrong: Lists the lab's wrong answers, or shows NAME's patch.
$(foreach lab,$(LABS),$(eval $(lab)-wrong: $(filter %/wrong/$(NAME).c,$(call wrong_of,$(lab)))))
$(LABS:%=%-wrong): %-wrong:
	@lib/tools/show-wrong.sh $* $(LAB_FOLDER.$*)/wrong '$(NAME)'
	@$(if $(NAME),printf '\n%s\n%s\n' 'The whole file: $(BUILD)/$*/wrong/$(NAME).c' \
	    'Its verdict: make $* FILE=$(BUILD)/$*/wrong/$(NAME).c')

## new-lab: Makes a lab of the template: make new-lab NAME=lab14-warps
new-lab:
	@lib/tools/new-lab.sh '$(NAME)'
