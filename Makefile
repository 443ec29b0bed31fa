# The workbook's one front door: `make help` lists what you can ask for.
#
# One non-recursive make, right under -j. Everything it writes goes to build/. This page holds what you may set and
# the goals that concern the whole tree; what is built from what stands in lib/lib.mk, labs/labs.mk and
# grader/grader.mk, how it is built in lib/rules.mk, and work of more than a line in the scripts of lib/tools/.

# --- What you may set: make lab03 DEVICE=cpu SEED=7 ----------------------------------------------------------

##@ What you may set
## DEVICE=NAME: where labs run: auto (the default), cpu, cuda or cuda:N
DEVICE := $(or $(LAB_DEVICE),auto)
## SEED=N: the same input data again in a check or a grading
SEED :=
## HINT=N: which hint labNN-hint prints, 1 to 3 (the next one)
HINT := next
## CHECK=N: of which check (the first that failed)
CHECK :=
## NAME=NAME: of which wrong answer labNN-wrong shows the patch
NAME :=
## YES=1: labNN-reset does not ask
YES :=
## TIMES=N: how often verify-load proves them (20)
TIMES := 20
## SUBMISSIONS=FOLDER: what to grade, one subfolder a student
SUBMISSIONS :=
## OUT=FOLDER: where grade writes its report (build/grade)
OUT = $(BUILD)/grade
## LABGRADE=OPTIONS: more options for grade (build/bin/labgrade --help)
LABGRADE :=
## CANVAS=FILE, MOODLE=FILE: a gradebook that export fills in, as FILE's copy in EXPORTS
CANVAS :=
MOODLE :=
## EXPORTS=FOLDER: where export writes (OUT/+exports)
EXPORTS :=
## SEEDS=N..N: which programs test-random runs, also single numbers
SEEDS := @lib/tests/differences/once-failed.txt 0..99
## FUZZ_SECONDS=N: how long each fuzzer runs (5)
FUZZ_SECONDS := 5
## ALSO=GOALS: what test runs as well, such as lint
ALSO :=
## CHECKS=NAMES: which checks lint makes, such as c_format (all)
CHECKS :=
## WERROR=1: a warning of the compiler is an error, as it is in CI
WERROR :=
## RESULTS=NAME: keeps what bench measured, as lib/bench/results/NAME.json
RESULTS :=
## BUILD=FOLDER: where all that is made goes (build)
BUILD := build
## V=1: shows the commands themselves
V :=

DEVICES := auto cpu cuda $(foreach n,0 1 2 3 4 5 6 7 8 9,cuda:$n cuda:1$n)
ifneq ($(filter-out $(DEVICES),$(DEVICE))$(filter-out 1,$(words $(DEVICE))),)
$(error DEVICE=$(DEVICE) is no device: it can be auto, cpu, cuda or cuda:N, such as cuda:0)
endif
ifneq ($(words $(CURDIR)),1)
$(error The path of the workbook has a space in it, which make cannot handle: move it to a folder without one. It is $(CURDIR))
endif
ifneq ($(filter $(patsubst %/,%,$(abspath $(BUILD)))/%,$(CURDIR)/),)
$(error BUILD=$(BUILD) is no folder for build output: the workbook itself is in it)
endif
ifneq ($(filter-out help doctor setup clean,$(or $(MAKECMDGOALS),help)),)
ifneq ($(shell mkdir -p '$(BUILD)' 2>/dev/null && test -w '$(BUILD)' || echo refused),)
$(error The folder for build output, $(BUILD), cannot be written here: name one that can, as in BUILD=/tmp/workbook)
endif
endif
ifeq ($(origin CC),default)
CC := gcc
endif

export LAB_DEVICE := $(DEVICE)
export PYTHONDONTWRITEBYTECODE := 1

# --- How make itself behaves ---------------------------------------------------------------------------------

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
# The one-letter options of the command line.
ASKED_WITH := $(filter-out -,$(firstword -$(MAKEFLAGS)))
JOBS := -j$(shell nproc)
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += $(JOBS)
endif

# Several goals are reached one after another, in the order asked for, and nothing is built before the clean or
# setup that leads them: make -j8 clean setup demo.
previous :=
$(foreach goal,$(MAKECMDGOALS),$(if $(previous),$(eval $(goal): | $(previous)))$(eval previous := $(goal)))
leading = $(if $(filter clean setup,$(firstword $1)),$(firstword $1) $(call leading,$(wordlist 2,$(words $1),$1)))
FIRST := $(call leading,$(MAKECMDGOALS))

include lib/rules.mk
include lib/lib.mk
include labs/labs.mk
include grader/grader.mk

# --- Goals that concern the whole tree -----------------------------------------------------------------------

.PHONY: help setup doctor demo test quick lint test-unit test-python test-asan test-tsan test-conformance test-order test-memcheck \
        test-needs test-programs test-valgrind fuzz lint-gcc lint-clang format clean FORCE

##@ To begin with
## setup: Installs what is missing, with apt-get, and says what for.
setup:
	@lib/tools/setup.sh

## doctor: Says what this machine has and what that means for you.
doctor:
	@{ mkdir -p '$(BUILD)' && $(MAKE) '$(BUILD)/bin/labdevice' >'$(BUILD)/labdevice.log' 2>&1; } 2>/dev/null || true
	@BUILD='$(BUILD)' lib/tools/doctor.sh

## demo: Shows it all: a solved lab, a graded class, its report.
demo: $(LAB_READY.lab03) $(GRADER_READY) $(SAMPLE_CLASS)
	@$(call check_solution,lab03)
	@$(call grade_folder,$(SAMPLE_CLASS),$(BUILD)/demo,--seconds 10 --sandbox-if-possible i-trust-these-files)
	@echo 'Open $(BUILD)/demo/index.html in a browser: the class, with a page for each of them.'
	@echo 'Begin yourself with $(LAB_FOLDER.lab00)/README.md and make lab00.'

##@ To work on the workbook itself
## test: Runs every test; the last line counts them.
test:
	@MAKE='$(MAKE)' LOGS='$(BUILD)/test' lib/tools/test.sh $(ALSO)

## quick: Tests what your changes since the last commit can break.
quick:
	@MAKE='$(MAKE)' BUILD='$(BUILD)' lib/tools/quick.sh

## lint: Checks format, warnings, scripts and the house rules.
lint:
	@MAKE='$(MAKE)' BUILD='$(BUILD)' lib/tools/lint.sh $(CHECKS)

## test-unit: Runs the unit tests of library and grader.
test-unit: $(TEST_PROGRAMS:%=$(BUILD)/tests/%)
## test-python: Runs the grader whole, with its report and pages.
test-python: $(PYTHON_TESTS)
## test-asan: Runs all under the address and undefined sanitizers.
test-asan: $(TEST_PROGRAMS:%=$(BUILD)/asan/tests/%)
## test-tsan: Runs those with threads under the thread sanitizer.
test-tsan: $(TEST_PROGRAMS:%=$(BUILD)/tsan/tests/%)
## test-conformance: Runs the tests of CUDA's rules, on DEVICE.
test-conformance: $(BUILD)/tests/conformance_tests
## test-order: Runs the order checker's catalogue, on DEVICE.
test-order: $(BUILD)/tests/order_tests
## test-memcheck: Runs those with kernels under compute-sanitizer.
test-memcheck: $(BUILD)/tests/conformance_tests $(BUILD)/tests/memcheck_planted
	@BUILD='$(abspath $(BUILD))' lib/tools/memcheck.sh $^

# One pass of the allocations that fail is enough for the thread sanitizer. The handle that stays dead has one thread.
test-tsan: export WITHOUT := $(addsuffix /,$(ONE_THREAD)) handle/stays_dead allocation_failure/of_any_three \
           allocation_failure/while_
test-unit test-python test-asan test-tsan: | $(TESTS_NEED)
test-unit test-python test-asan test-tsan test-conformance test-order:
	@$(RUN_TESTS) $^

# What the tests run, and what all parts of `make test` run.
test-needs: $(TESTS_NEED)
test-programs: $(foreach v,plain asan tsan,$(TEST_PROGRAMS:%=$(folder.$v)/tests/%)) $(FUZZERS:%=$(BUILD)/fuzz/tests/%) \
               $(EXAMPLES:%=$(BUILD)/examples/%) $(BUILD)/tests/random_programs $(TESTS_NEED) $(VERIFY_NEEDS)

## test-valgrind: Runs the library's under valgrind; slow, not part of test.
test-valgrind: $(LIB_TESTS:%=$(BUILD)/valgrind/tests/%)
	@BUILD='$(abspath $(BUILD))' lib/tools/valgrind.sh $^

## fuzz: Feeds damaged input to all that reads files.
fuzz: $(FUZZERS:%=$(BUILD)/fuzz/tests/%)
	@lib/tools/fuzz.sh $(FUZZ_SECONDS) $^

# What lint looks at: every C file but the broken ones that tests feed to the grader.
LINTED := $(filter-out $(CUDA_LEFT_OUT),$(wildcard lib/*/*.c lib/*/*/*.c lib/*/*/*/*.c labs/*/*.c solutions/*/*.c \
          grader/src/*/*.c grader/harness/*.c grader/tests/*.c)) $(WRONG)
lint-gcc: $(call objects,plain,$(LINTED))
lint-clang: $(call objects,clang,$(LINTED))

## format: Rewrites the C files in the house format.
format:
	@lib/tools/format.sh

## clean: Removes everything that was made.
clean:
	@rm -rf '$(BUILD)'

## help: Prints this page.
help:
	@awk -v labs='$(LABS)' -f lib/tools/help.awk $(filter-out %.d,$(MAKEFILE_LIST))

# Which headers each object was made from, as the compiler wrote it down.
-include $(patsubst %.o,%.d,$(sort $(OBJECTS) $(foreach v,plain clang,$(call objects,$v,$(LINTED)))))
