# How code is built: the variants, and the functions with which lib.mk, labs.mk and grader.mk say what is built from
# what. Independent of what those three name.

# --- Variants ------------------------------------------------------------------------------------------------
# A variant is a compiler, its flags and a folder:
#   plain      what everybody runs; its tests use Criterion
#   asan       the address and undefined-behaviour sanitizers: every test
#   tsan       the thread sanitizer: the tests with threads
#   valgrind   for `make test-valgrind`
#   fuzz       clang's fuzzer: the files that read input
#   clang      no code, only clang's warnings, for `make lint`
# The tests of the sanitizers and of valgrind run without Criterion (lib/tests/test.h says why).

VARIANTS := plain asan tsan valgrind fuzz clang

compiler.plain    := $(CC)
compiler.asan     := $(CC)
compiler.tsan     := $(CC)
compiler.valgrind := $(CC)
compiler.fuzz     := clang
compiler.clang    := clang

# Reports name lines, not variables: -g1 is enough for them, and compiles and links faster. For a debugger: make
# CFLAGS=-g. About code with the sanitizers' checks gcc warns more than it should: -w, since the plain build shows the
# warnings.
flags.plain    := -O2 -g1
flags.asan     := -O1 -g1 -w -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
flags.tsan     := -O1 -g1 -w -fno-omit-frame-pointer -fsanitize=thread
flags.valgrind := -O1 -g1 -fno-omit-frame-pointer -DLAB_VALGRIND
flags.fuzz     := -O1 -g1 -w -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined
flags.clang    := -fsyntax-only -Werror

link.asan := -fsanitize=address,undefined
link.tsan := -fsanitize=thread
# libFuzzer comes with clang, whose programs find what their libraries need by RPATH alone where packages are unpacked.
link.fuzz := -fsanitize=fuzzer,address,undefined -Wl,--disable-new-dtags

# Under a sanitizer some tests need half a minute on a quiet machine.
plain_tests.asan     := -DLAB_PLAIN_TESTS -DTEST_SECONDS=2000
plain_tests.tsan     := $(plain_tests.asan)
plain_tests.valgrind := $(plain_tests.asan)

# `remember` does not keep this flag: asking for it builds nothing again, and an object that is up to date is not
# checked.
werror.plain := $(if $(WERROR),-Werror)

folder.plain := $(BUILD)
$(foreach v,$(filter-out plain,$(VARIANTS)),$(eval folder.$v := $(BUILD)/$v))

LANGUAGE := -std=c11 -D_GNU_SOURCE -pthread
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
compile   = $(compiler.$1) $(LANGUAGE) $(WARNINGS) $(flags.$1) $(plain_tests.$1) $(CFLAGS)
link      = $(compiler.$1) -pthread $(link.$1) $(LDFLAGS)

# More options of a source, by the first folder of its path and, as $2, the second. The library's own calls do not note
# their lines. What runs rarely or shortly is compiled with -O1, which saves more time than it costs: tests, the grader,
# and of the library what reads texts and draws. The grader's loops over arrays, a good part of the time of each verdict,
# are compiled for speed, and the code that benchmarks compare with is compiled as well as possible. A lab's starter does
# not use everything yet.
SHORT_WORK       := lib/programs/% lib/src/trace/% $(addprefix lib/src/cpu/,ir/% passes/% split/% compiler/% object/%)
LOOPS_OVER_ARRAYS = grader/harness/inputs.c grader/harness/compare_floats.c grader/harness/flow/%
options.lib       = -Ilib/include -Ilib/src -Ilib/tests $(options.lib.$2) $(if $(filter $(SHORT_WORK),$1),-O1) $(options.test)
options.lib.src   = -DLAB_NO_LOCATION $(if $(filter lib/src/cuda/%,$1),$(addprefix -isystem ,$(sort $(CUDA_INCLUDE) $(CUPTI_INCLUDE))))
options.lib.bench = -O3 -march=native $(if $(filter lib/bench/cuda_%,$1),$(addprefix -isystem ,$(CUDA_INCLUDE)))
options.lib.tests = $(if $(filter lib/tests/cuda_%,$1),$(addprefix -isystem ,$(CUDA_INCLUDE)))$(if $(filter lib/tests/cudart/%,$1),-Ilib/include/cuda)
options.grader    = -Ilib/include -Ilib/src -Ilib/tests -Igrader/src -Igrader/harness -Igrader/harness/worker -Igrader/tests/fixtures/toylab \
                    $(if $(filter $(LOOPS_OVER_ARRAYS),$1),-O3,-O1) $(options.test)
options.test      = $(if $(filter %_test.c,$1),-O0 -U_FORTIFY_SOURCE)
options.labs      = -Ilib/include -Ilib/src -Igrader/harness -Igrader/harness/worker -Igrader/src $(if $(filter lab%,$2),$(options.lab))
options.lab       = -Ilabs/$2 -Wno-unused-parameter -Wno-unused-function
options.solutions = $(options.labs)
options           = $(call options_of,$(patsubst $(BUILD)/%,made/%,$1))
options_of        = $(call options.$(firstword $(subst /, ,$1)),$1,$(word 2,$(subst /, ,$1)))

# --- Functions -----------------------------------------------------------------------------------------------
#   $(call objects,VARIANT,SOURCES)                            the objects of sources
#   $(call archive,VARIANT,NAME,SOURCES)                       makes a library in the variant's folder
#   $(call program,VARIANT,NAME,SOURCES,ARCHIVES,LIBRARIES)    makes a program there
#   $(call test_program,NAME,SOURCES,ARCHIVES,LIBRARIES,T,A)   makes a program of tests: plain, asan, tsan, valgrind; with T
#                                                              or A, that of tsan or asan has only those of the sources
#   $(call fuzz_programs,SOURCES,ARCHIVES,LIBRARIES)           makes a fuzzer of each source; what the fuzz variant's
#                                                              archives lack comes from the plain ones
#   $(call patched,FOLDER,PATCHES,SOURCE)                      applies each PATCHES/NAME.patch to SOURCE, as FOLDER/NAME.c;
#                                                              $(PATCHED.FOLDER) lists them
#   $(call remember,FILE,TEXT)                                 keeps TEXT in FILE, whose time changes with TEXT

objects      = $(patsubst %.c,$(folder.$1)/obj/%.o,$2)
archive      = $(call remember,$(folder.$1)/$2.from,$3)$(eval $(archive_rule))
program      = $(call remember,$(folder.$1)/$2.from,$3 $4 $5)$(eval $(program_rule))
# What runs the tests of a program: Criterion, and under the sanitizers and valgrind our own.
CRITERION_MAIN := lib/tests/no_certificates.c lib/tests/turns.c
PLAIN_MAIN     := lib/tests/plain_main.c lib/tests/turns.c
test_program = $(call program,plain,tests/$1,$2 $(CRITERION_MAIN),$3,-lcriterion $4)$(foreach \
               v,asan tsan valgrind,$(call program,$v,tests/$1,$(or $(if $(filter tsan,$v),$5),$(if $(filter asan,$v),$6),$2) \
               $(PLAIN_MAIN),$3,$4))$(eval TEST_PROGRAMS += $1)
fuzz_programs = $(foreach s,$1,$(call fuzz_program,$(basename $(notdir $s)),$s,$2,$3))
fuzz_program  = $(call program,fuzz,tests/$1,$2,$3,$4)$(eval FUZZERS += $1)$(eval $(folder.fuzz)/tests/$1: $(3:%=$(BUILD)/%))
patched      = $(eval $(patched_rule))
remember     = $(eval $(remember_rule))
# No program is started where the file has the text already.
is_remembered = $(and $(wildcard $1),$(findstring :$(file <$1):,:$(REMEMBERED.$1):),$(findstring :$(REMEMBERED.$1):,:$(file <$1):))

# Runs programs of tests. BUILD holds the programs that they start and the kernels that they compile.
RUN_TESTS = BUILD='$(abspath $(BUILD))' lib/tools/run-tests.sh

# A recipe writes its target as $(NEW), between $(begin) and $(end), which renames it when it is whole. Two makes at
# once, in two terminals, then never link a file that the other has half written.
NEW   = $@.$$$$
begin = trap 'rm -f $(NEW) $(NEW).d' EXIT INT TERM;
end   = && mv -f $(NEW) $@

# The short line that a recipe prints, and the prefix that hides its command. V=1 shows the command instead. On the way to
# a lab, a demo or a grading there is one line in all, with the number of files that were built: tell_built prints it.
say  = @$(if $V,:,$(if $(COUNTED),$(count_built),printf '  %-8s %s\n' '$1' '$2'))
BUILT = $(BUILD)/.built
COUNTED = $(if $(filter-out $(COUNTED_GOALS),$(or $(MAKECMDGOALS),help)),,$(if $V,,yes))
count_built = printf . >>'$(BUILT)'$(if $(MAKE_TERMOUT), && printf '  built %s files\r' "$$(stat -c %s '$(BUILT)')")
tell_built  = if [ -s '$(BUILT)' ]; then printf '  built %s files\n' "$$(stat -c %s '$(BUILT)')" | sed 's/ 1 files/ 1 file/'; rm -f '$(BUILT)'; fi
Q  := $(if $V,,@)

define remember_rule
REMEMBERED.$1 := $(strip $2)
$1: FORCE | $(FIRST)
	@$$(if $$(call is_remembered,$$@),,mkdir -p $$(@D) && echo '$(strip $2)' >$$@)
endef

define object_rule
$(folder.$1)/obj/%.o: %.c $(folder.$1)/flags
	$$(call say,compile,$$<$(if $(filter-out plain,$1), ($1)))
	$$Q[ -d $$(@D) ] || mkdir -p $$(@D); $$(begin) $(compile) $(werror.$1) $$(call options,$$<) \
	    -MMD -MP -MF $$(NEW).d -MT $$@ -c -o $$(NEW) $$< && \
	    $(if $(filter clang,$1),touch $$(NEW) && )mv -f $$(NEW).d $$(@:.o=.d) $$(end)
endef

define archive_rule
OBJECTS += $(call objects,$1,$3)
$(folder.$1)/$2: $(call objects,$1,$3) $(folder.$1)/$2.from
	$$(call say,archive,$$@)
	$$Q$$(begin) $$(AR) qcs $$(NEW) $$(filter %.o,$$^) $$(end)
endef

define program_rule
OBJECTS += $(call objects,$1,$3)
$(folder.$1)/$2: $(call objects,$1,$3) $(addprefix $(folder.$1)/,$4) $(folder.$1)/$2.from
	$$(call say,link,$$@)
	$$Q$$(begin) $(link) -o $$(NEW) $$(filter %.o %.a,$$^) $5 $$(end)
endef

# Strict: the lines around a change must be those of the patch, though they may have moved.
apply_patch = patch --unified --fuzz=0 --force --quiet --read-only=ignore --reject-file=- --output=- $2 $1 >$(NEW) || \
              { [ $$? -eq 127 ] && echo 'patch is missing: run make setup.' || printf '%s\n' '$1 does not apply to $2.' \
              'Make its change in a copy of that file, and replace its hunks by: diff -U2 $2 COPY'; false; } >&2

define patched_rule
PATCHED.$1 := $(patsubst $2/%.patch,$1/%.c,$(wildcard $2/*.patch))
$$(PATCHED.$1): $1/%.c: $2/%.patch $3 | $(FIRST)
	@mkdir -p $$(@D)
	$$Q$$(begin) $$(call apply_patch,$$<,$3) $$(end)
endef

# $(call needs,GOALS,NAMES): for one of these goals, things of the table in lib/tools/needs.sh have to be here. The
# Makefile asks for them before anything is done.
needs = $(if $(filter $1,$(MAKECMDGOALS)),$(eval NEEDED += $2))
missing_needs = PATH='$(PATH)' LAB_PACKAGES='$(LAB_PACKAGES)' lib/tools/needed.sh $(sort $(NEEDED))

# Before anything is compiled: what is missing here. A compiler or folders of the user's own are taken as they are.
ifeq ($(origin CC)$(CFLAGS)$(LDFLAGS),file)
COMPLETE := $(BUILD)/complete-$(or $(SETUP_FOR),labs)
$(COMPLETE): lib/tools/missing.sh lib/tools/needs.sh | $(FIRST)
	@mkdir -p $(@D) && lib/tools/missing.sh $(SETUP_FOR) && touch $@
$(foreach v,$(VARIANTS),$(folder.$v)/flags): | $(COMPLETE)
endif

FORCE:
$(foreach v,$(VARIANTS),$(call remember,$(folder.$v)/flags,$(call compile,$v) $(link.$v))$(eval $(call object_rule,$v)))
