# The grader: labcheck gives one student a verdict, labgrade grades a folder of submissions with labunpack to read
# archives, and the report turns its results into pages. A new source file needs no change here, unless it is a program.

GRADER_PROGRAMS := labcheck labgrade labunpack
# What only a class takes is in an archive of its own, which labs do not link.
CLASS_SOURCES   := $(wildcard $(foreach room,intake store plan course class adjust,grader/src/$(room)/*.c))
GRADER_SOURCES  := $(filter-out $(CLASS_SOURCES) grader/src/programs/%,$(wildcard grader/src/*/*.c))
COMMAND_SOURCES := $(filter-out $(GRADER_PROGRAMS:%=grader/src/programs/%.c),$(wildcard grader/src/programs/*.c))

GRADER_LIBRARIES := -lseccomp $(LIB_LIBRARIES)
CLASS_LIBRARIES  := -lsqlite3 -larchive $(GRADER_LIBRARIES)

$(foreach v,plain asan tsan valgrind,$(call archive,$v,libgrader.a,$(GRADER_SOURCES))$(call \
    archive,$v,libclass.a,$(CLASS_SOURCES)))
# The rooms that read input: the fuzzers feed them damaged input.
$(call archive,fuzz,libgrader.a,$(filter-out $(addprefix grader/src/,page/% prove/% sandbox/%),$(GRADER_SOURCES)))
$(call archive,fuzz,libclass.a,$(filter-out grader/src/store/%,$(CLASS_SOURCES)))
$(call program,plain,bin/labcheck,grader/src/programs/labcheck.c,libgrader.a liblab.a,$(GRADER_LIBRARIES))
$(call program,plain,bin/labgrade,grader/src/programs/labgrade.c $(COMMAND_SOURCES),libclass.a libgrader.a liblab.a,\
    $(CLASS_LIBRARIES))
$(call program,plain,bin/labunpack,grader/src/programs/labunpack.c,libclass.a libgrader.a liblab.a,\
    -larchive $(LIB_LIBRARIES))
# Of these tests only those of the progress file have threads. Those that start plain programs, and look at what these
# print, have nothing to show the address sanitizer: it would see none of those programs.
GRADER_TESTS := $(wildcard grader/tests/*_test.c)
START_PLAIN  := $(foreach t,adjust decide extend graded_kernels grading groups harness lab_scripts measured \
                memcheck_page order_finding parts programs right told_lines,grader/tests/$t_test.c)
$(call test_program,grader_tests,$(GRADER_TESTS) $(wildcard grader/harness/flow/*.c),libclass.a libgrader.a \
    liblab.a,$(CLASS_LIBRARIES),grader/tests/progress_test.c,$(filter-out $(START_PLAIN),$(GRADER_TESTS)) \
    $(wildcard grader/harness/flow/*.c))

$(call fuzz_programs,$(wildcard grader/tests/fuzz_*.c),libclass.a libgrader.a liblab.a,$(CLASS_LIBRARIES))

# The tests start the grader's programs and five fixtures: a toy lab without the library, a lab whose points depend on
# times, one that leaves work of the library running, one whose calls fail, and checks of the harness itself.
TOYLAB := grader/tests/fixtures/toylab
$(call lab_parts,toylab,$(TOYLAB)/checks.c,$(TOYLAB)/program.c $(TOYLAB)/no_runtime.c \
    $(addprefix grader/harness/worker/,worker.c student_threads.c),$(TOYLAB)/class/right/toylab.c)
$(call lab_parts,timelab,grader/tests/fixtures/timelab/checks.c,$(TOYLAB)/program.c $(TOYLAB)/no_runtime.c \
    $(addprefix grader/harness/worker/,worker.c student_threads.c),$(TOYLAB)/class/right/toylab.c)
$(call lab_parts,linger,grader/tests/fixtures/linger/checks.c,$(HARNESS_WORKER),grader/tests/fixtures/linger/program.c)
$(call lab_parts,failing,grader/tests/fixtures/failing/checks.c,$(HARNESS_WORKER),grader/tests/fixtures/failing/program.c)
$(call lab_checks,harness,grader/tests/fixtures/harness/checks.c)
$(call program,plain,tests/try_calls,grader/tests/fixtures/try_calls.c,,)
$(call program,plain,tests/docker,grader/tests/fixtures/docker/docker.c,,-lseccomp)
TESTS_NEED += $(GRADER_PROGRAMS:%=$(BUILD)/bin/%) $(BUILD)/tests/try_calls $(BUILD)/tests/docker $(call lab_files,toylab) $(call lab_files,timelab) \
              $(BUILD)/linger/checks $(BUILD)/linger/reference $(BUILD)/harness/checks \
              $(BUILD)/failing/checks $(BUILD)/failing/reference \
              $(foreach lab,lab00 lab01 lab02 lab03 lab07 lab09 lab10 lab12,$(LAB_READY.$(lab))) $(foreach lab,lab01 lab02 lab09 lab12,$(call wrong_of,$(lab)))

# The test of the attacks, and what its result depends on.
ATTACKS_TEST   := grader/tests/attacks_test.py
ATTACKS_INPUTS  = $(ATTACKS_TEST) $(GRADER_PROGRAMS:%=$(BUILD)/bin/%) $(LAB_READY.lab01) $(call lab_files,toylab) \
                  $(wildcard grader/attacks/*.c $(TOYLAB)/* $(TOYLAB)/*/*/* grader/tests/fixtures/naive/*) $(PUBLIC_HEADERS) \
                  lib/tools/run-tests.sh lib/tools/python.sh

# Right answers in odd styles. attacks/right/LAB holds whole files and patches; BUILD/LAB/right/ holds the patches,
# applied, the solution with words_and_features.c appended, and the solution as deutsch.c says. Lab 12 counts lines.
RIGHT := grader/attacks/right
define right_rules
$(call patched,$(BUILD)/$1/right,$(RIGHT)/$1,$(call solution_of,$1))
$(BUILD)/$1/right/words_and_features.c: $(call solution_of,$1) $(RIGHT)/words_and_features.c | $(FIRST)
	@mkdir -p $$(@D)
	$$Q$$(begin) cat $$^ >$$(NEW) $$(end)
$(BUILD)/$1/right/deutsch_mit_crlf.c: $(RIGHT)/deutsch.c $(call solution_of,$1) | $(FIRST)
	@mkdir -p $$(@D)
	$$Q$$(begin) cat $$^ | sed -z 's/)\n{/) {/g; s/    /\t/g; s,/\* Task,/* Aufgabe,g; s/\n$$$$//; s/\n/\r\n/g' >$$(NEW) $$(end)
RIGHT_ANSWERS.$1 := $(sort $(PATCHED.$(BUILD)/$1/right) $(wildcard $(RIGHT)/$1/*.c) \
                    $(if $(filter lab12,$1),,$(addprefix $(BUILD)/$1/right/,words_and_features.c deutsch_mit_crlf.c)))
TESTS_NEED += $$(RIGHT_ANSWERS.$1)
endef
$(foreach lab,$(LABS),$(eval $(call right_rules,$(lab))))
# What the test that they build depends on (right_test.c).
BUILDS_INPUTS = $(BUILD)/tests/grader_tests lib/tools/run-tests.sh $(foreach lab,$(LABS),$(call solution_of,$(lab)) \
                $(RIGHT_ANSWERS.$(lab)) $(wildcard $(LAB_FOLDER.$(lab))/*.h)) $(PUBLIC_HEADERS)

# The sample class: each line of class.txt names a student and the file that the student submits.
SAMPLE_CLASS := $(BUILD)/class
list_class   := sed 's, BUILD/, $(BUILD)/,' grader/tests/class/class.txt
$(SAMPLE_CLASS): grader/tests/class/class.txt $(patsubst BUILD/%,$(BUILD)/%,$(filter %.c,$(file <grader/tests/class/class.txt)))
	@rm -rf $@
	@$(list_class) | while read -r student file; do mkdir -p $@/$$student && cp $$file $@/$$student/lab03.c; done

# The Jinja2 of grade and demo is asked for by report-ready, since a Python of the user's own may have it.
$(call needs,$(if $(THROWN_AWAY)$(findstring sandbox,$(LABGRADE)),,grade grade-sandbox),bubblewrap)
$(call needs,test-right test-python test-unit mutate,patch)
$(call needs,test-cluster,Slurm patch)

GRADER_READY := $(GRADER_PROGRAMS:%=$(BUILD)/bin/%) $(LABS_READY)
LAB := lab03

# make grade SUBMISSIONS=grader/attacks turns the attacks into submissions of real labs first, and prints at the end
# what each gained. Time and memory are short, for the attacks that use up either.
ATTACKS       := grader/attacks
ATTACK_CLASS  := $(BUILD)/attacks
ifneq ($(filter $(abspath $(ATTACKS)),$(abspath $(SUBMISSIONS))),)
ifeq ($(origin LAB),file)
LAB := $(LABS)
endif
ATTACK_CLASS_OF = $(ATTACK_CLASS)$(if $(word 2,$(LAB)),,/$(LAB))
prepare_attacks = rm -rf '$(ATTACK_CLASS)' && $(ATTACKS)/on_labs.py class '$(ATTACK_CLASS)' $(LAB)
tell_attacks    = && $(ATTACKS)/on_labs.py table '$(OUT)' '$(ATTACK_CLASS)' $(LAB)
LABGRADE       += --seconds 5 --memory 1024
endif

# Of the autograder: with THROWN_AWAY=1 the machine is a container that is thrown away.
IN_CONTAINER = $(if $(THROWN_AWAY),--container-sandbox this-container-is-thrown-away)

# Grades and writes the report; nothing else calls either: $(call grade_folder,SUBMISSIONS,OUT,OPTIONS).
grade_folder = $(BUILD)/bin/labgrade --root . --build '$(BUILD)' --lab '$(LAB)' --submissions '$1' --out '$2' \
               $(if $(SEED),--seed '$(SEED)') $3 && lib/tools/python.sh grader/report/report.py '$2' \
               $(if $(PREVIOUS),--previous '$(PREVIOUS)') $(if $(LESSONS),--lessons '$(LESSONS)')

ifneq ($(filter grade,$(MAKECMDGOALS)),)
ifeq ($(SUBMISSIONS),)
$(error Name the folder to grade, with one subfolder a student: make grade SUBMISSIONS=folder)
endif
ifneq ($(filter-out $(LABS),$(LAB)),)
$(error LAB: there is no $(filter-out $(LABS),$(LAB)); there are $(LABS))
endif
ifneq ($(SUBMISSIONS),$(SAMPLE_CLASS))
NO_CLASS := $(shell lib/tools/submissions.sh '$(SUBMISSIONS)')
ifneq ($(NO_CLASS),)
$(error SUBMISSIONS: $(NO_CLASS))
endif
endif
endif

.PHONY: grade grade-ready grade-sandbox report-ready grade-review export autograder handout adversary mutate test-right test-grader-long test-cluster bench-grader \
        bench-parts

##@ To grade
## grade: Grades a folder of submissions and writes the report.
grade: report-ready grade-ready $(filter $(SAMPLE_CLASS),$(SUBMISSIONS))
	@$(tell_built); $(prepare_attacks)
	@$(call grade_folder,$(or $(ATTACK_CLASS_OF),$(SUBMISSIONS)),$(OUT),$(LABGRADE) $(IN_CONTAINER)) $(tell_attacks)

# Before a class is graded: what its report needs is here.
report-ready: | $(FIRST) $(COMPLETE)
	@lib/tools/python.sh -c ''

# The programs that grading LAB needs.
grade-ready: $(GRADER_PROGRAMS:%=$(BUILD)/bin/%) $(foreach lab,$(LAB),$(LAB_READY.$(lab)))

## grade-review: Lists what in OUT needs a person before you export.
# Make expands nothing in the reason: it may have a $.
grade-review: export REASON := $(value WHY)
grade-review:
	@lib/tools/python.sh grader/report/review.py '$(OUT)' $(if $(DONE),--done $(DONE) --why "$$REASON")

## export: Writes the grades in OUT for other programs.
export:
	@lib/tools/python.sh grader/report/export.py '$(OUT)' $(if $(EXPORTS),--to '$(EXPORTS)') \
	    $(if $(CANVAS),--canvas '$(CANVAS)') $(if $(MOODLE),--moodle '$(MOODLE)') $(if $(ONLY_EMPTY),--only-empty) \
	    $(if $(LESSONS),--lessons '$(LESSONS)') $(LABEXPORT)

# Tries the sandbox in which LAB is graded and prints it. Fails with the reason where there is no sandbox.
grade-sandbox: grade-ready
	@$(BUILD)/bin/labgrade --root . --build '$(BUILD)' --lab '$(LAB)' --show-sandbox $(LABGRADE) $(IN_CONTAINER)

## autograder: Makes the zip that Gradescope runs for LAB.
autograder:
	@grader/autograder/make_zip.py '$(LAB)' '$(OUT)/autograder-$(LAB).zip'

##@ To teach
## handout: Makes what students get in OUT: LABS without solutions.
handout:
	@$(if $(filter command,$(firstword $(origin OUT))),,echo 'Name the folder, or a zip: make handout OUT=folder' >&2; exit 1)
	@grader/handout/make_handout.py $(call quoted,$(OUT:~/%=$(HOME)/%)) --labs '$(LABS)' --open '$(OPEN)' $(if $(GIT),--git) --options '$(LANGUAGE) $(options.labs)'

##@ To work on the workbook itself
# The labs that the command line names, or all; graded once, or as often as the command line says.
MUTATED      = $(if $(filter command,$(firstword $(origin LAB))),$(LAB),$(LABS))
GRADED_AGAIN = $(if $(filter command,$(firstword $(origin TIMES))),--times '$(TIMES)')
## test-right: Runs right answers in odd styles, of all labs or LAB's.
test-right: $(foreach lab,$(MUTATED),$(LAB_READY.$(lab)) $(RIGHT_ANSWERS.$(lab)))
	$(call begin_list,right)
	$(foreach lab,$(MUTATED),$(foreach file,$(RIGHT_ANSWERS.$(lab)),$(call \
	    list_proof,right,lib/tools/right-answer.sh $(lab) $(file) $(LABCHECK),$(call lab_inputs,$(lab)) $(file) lib/tools/right-answer.sh)))
	$(call end_list,right)
	@$(call run_proofs,right)

## mutate: Proves the checks of all labs, or LAB's, with mutants.
mutate: $(BUILD)/bin/labcheck $(foreach lab,$(MUTATED),$(LAB_READY.$(lab)))
	@grader/mutate/mutate.py --build '$(BUILD)' $(GRADED_AGAIN) $(if $(SEED),--seed '$(SEED)') $(if $(V),--verbose) \
	    $(MUTATED)

# What the adversary proves of a lab, a part of `make verify` too; its programs are tried one after another.
adversary_of     = grader/mutate/adversary.py --build '$(BUILD)' --jobs 1 $(if $(SEED),--seed '$(SEED)') $1
# A few mutants of a lab, and those that its contract names: a part of `make verify` too.
few_mutants_of   = grader/mutate/few_mutants.py --build '$(BUILD)' $(if $(SEED),--seed '$(SEED)') $1
mutating_inputs  = $(call lab_inputs,$1) $(wildcard grader/mutate/*.py grader/mutate/*.c)
## adversary: Tries to win points for nothing, in all labs or LAB's.
ifneq ($(FLOW),none)
adversary: $(BUILD)/bin/labcheck $(foreach lab,$(MUTATED),$(LAB_READY.$(lab)))
	$(call begin_list,adversary)
	$(foreach lab,$(MUTATED),$(call list_proof,adversary,$(call adversary_of,$(lab)),$(call mutating_inputs,$(lab))))
	$(call end_list,adversary)
	@$(call run_proofs,adversary)
else # What the same programs win where no check follows the flow from inputs to outputs.
believing_checks = $(call program,plain,without-flow/$1/checks,$(wildcard $(LAB_FOLDER.$1)/checks*.c) \
                   $(filter-out grader/harness/flow/flow.c,$(HARNESS_CHECK)) grader/tests/fixtures/no_flow/flow.c,libgrader.a \
                   libserved.a liblab.a,$(lab_library) $(LIB_LIBRARIES))
$(foreach lab,$(MUTATED),$(call believing_checks,$(lab)))
adversary: $(BUILD)/bin/labcheck $(foreach lab,$(MUTATED),$(LAB_READY.$(lab)) $(BUILD)/without-flow/$(lab)/checks)
	@grader/mutate/adversary.py --build '$(BUILD)' --without-flow $(if $(SEED),--seed '$(SEED)') $(MUTATED)
endif

## test-grader-long: Kills and resumes labgrade a hundred times, and regrades.
test-grader-long: $(TESTS_NEED)
	@lib/tools/python.sh grader/tests/long_grader.py '$(BUILD)'

## test-cluster: Grades on an emulated Slurm cluster while its nodes fail.
test-cluster: $(GRADER_PROGRAMS:%=$(BUILD)/bin/%) $(call lab_files,toylab) $(LAB_READY.lab01) $(call wrong_of,lab01)
	@BUILD='$(BUILD)' SUBMISSIONS='$(SUBMISSIONS)' lib/tools/python.sh grader/tests/on_cluster.py

## bench-parts: Measures what a grading in parts costs on top of the work.
bench-parts: $(BUILD)/bin/labgrade $(call lab_files,toylab)
	@lib/tools/python.sh grader/tests/bench_parts.py '$(BUILD)'

## bench-grader: Measures labgrade with 300 submissions of lab 01.
bench-grader: $(GRADER_READY) $(call wrong_of,lab01)
	@lib/tools/python.sh grader/tests/bench_grader.py '$(BUILD)'
