# How code is built here: the variants, and the functions with which lib.mk, labs.mk and grader.mk say what is built
# from what. Knows no lab, no library and no test by name.

# --- Variants ------------------------------------------------------------------------------------------------
# A variant is a compiler, its flags and a folder. `plain` is what everybody runs. The tests of the sanitizers and of
# valgrind run without Criterion (lib/tests/test.h says why). The strict ones are for lint: objects only, warnings are
# errors.

VARIANTS := plain asan tsan valgrind fuzz strict-gcc strict-clang

compiler.plain        := $(CC)
compiler.asan         := $(CC)
compiler.tsan         := $(CC)
compiler.valgrind     := $(CC)
compiler.fuzz         := clang
compiler.strict-gcc   := gcc
compiler.strict-clang := clang

flags.plain        := -O2
flags.asan         := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
flags.tsan         := -O1 -fno-omit-frame-pointer -fsanitize=thread
flags.valgrind     := -O1 -fno-omit-frame-pointer -DLAB_VALGRIND
flags.fuzz         := -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined
flags.strict-gcc   := -O2 -Werror
flags.strict-clang := -O2 -Werror

link.asan := -fsanitize=address,undefined
link.tsan := -fsanitize=thread
link.fuzz := -fsanitize=fuzzer,address,undefined

plain_tests.asan     := -DLAB_PLAIN_TESTS
plain_tests.tsan     := -DLAB_PLAIN_TESTS
plain_tests.valgrind := -DLAB_PLAIN_TESTS -DTEST_SECONDS=600

folder.plain := $(BUILD)
$(foreach v,$(filter-out plain,$(VARIANTS)),$(eval folder.$v := $(BUILD)/$v))

LANGUAGE := -std=c11 -D_GNU_SOURCE -g -pthread
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
compile   = $(compiler.$1) $(LANGUAGE) $(WARNINGS) $(flags.$1) $(plain_tests.$1) $(CFLAGS)
link      = $(compiler.$1) -pthread $(link.$1) $(LDFLAGS)

# What a source needs beside that, by the first folder of its path and, as $2, the second: where its headers are, and
# what it is. The library itself is no caller whose lines are noted; what it is measured beside is compiled as well as can
# be; a lab's starter does not use everything yet.
options.lib       = -Ilib/include -Ilib/src -Ilib/tests $(options.lib.$2)
options.lib.src   = -DLAB_NO_LOCATION $(if $(filter lib/src/cuda/%,$1),$(addprefix -isystem ,$(sort $(CUDA_INCLUDE) $(CUPTI_INCLUDE))))
options.lib.bench = -O3 -march=native $(if $(filter lib/bench/cuda_%,$1),$(addprefix -isystem ,$(CUDA_INCLUDE)))
options.grader    = -Ilib/include -Ilib/src -Ilib/tests -Igrader/src -Igrader/harness -Igrader/tests/fixtures/toylab
options.labs      = -Ilib/include -Ilib/src -Igrader/harness -Igrader/src $(if $(filter lab%,$2),$(options.lab))
options.lab       = -Ilabs/$2 -Wno-unused-parameter -Wno-unused-function
options.solutions = $(options.labs)
options           = $(call options_of,$(patsubst $(BUILD)/%,made/%,$1))
options_of        = $(call options.$(firstword $(subst /, ,$1)),$1,$(word 2,$(subst /, ,$1)))

# --- Functions -----------------------------------------------------------------------------------------------
#   $(call objects,VARIANT,SOURCES)                            the objects of sources
#   $(call archive,VARIANT,NAME,SOURCES)                       makes a library in the variant's folder
#   $(call program,VARIANT,NAME,SOURCES,ARCHIVES,LIBRARIES)    makes a program there
#   $(call test_program,NAME,SOURCES,ARCHIVES,LIBRARIES)       makes a program of tests: plain, asan, tsan, valgrind
#   $(call fuzz_programs,SOURCES,ARCHIVES,LIBRARIES)           makes a fuzzer of each source
#   $(call patched,FOLDER,PATCHES,SOURCE)                      applies each PATCHES/NAME.patch to SOURCE, as FOLDER/NAME.c;
#                                                              $(PATCHED.FOLDER) lists them
#   $(call remember,FILE,TEXT)                                 keeps TEXT in FILE, whose time changes when TEXT does

objects      = $(patsubst %.c,$(folder.$1)/obj/%.o,$2)
archive      = $(call remember,$(folder.$1)/$2.from,$3)$(eval $(archive_rule))
program      = $(call remember,$(folder.$1)/$2.from,$3 $4 $5)$(eval $(program_rule))
test_program = $(call program,plain,tests/$1,$2,$3,-lcriterion $4)$(foreach v,asan tsan valgrind,$(call \
               program,$v,tests/$1,$2 lib/tests/plain_main.c,$3,$4))$(eval TEST_PROGRAMS += $1)
fuzz_programs = $(foreach s,$1,$(call program,fuzz,tests/$(basename $(notdir $s)),$s,$2,$3)$(eval \
                FUZZERS += $(basename $(notdir $s))))
patched      = $(eval $(patched_rule))
remember     = $(eval $(remember_rule))

# Runs programs of tests; they find the other programs, and keep their compiled kernels, in BUILD.
RUN_TESTS = BUILD='$(abspath $(BUILD))' lib/tools/run-tests.sh

# A recipe makes its target under a name of its own, $(NEW), between $(begin) and $(end), which gives it its name when it is
# whole. Two makes at once, in two terminals, then never link what the other has half written.
NEW   = $@.$$$$
begin = trap 'rm -f $(NEW) $(NEW).d' EXIT INT TERM;
end   = && mv -f $(NEW) $@

# The short line that a recipe prints, and the prefix that hides the command itself; V=1 turns them round.
say = @$(if $V,:,printf '  %-8s %s\n' '$1' '$2')
Q  := $(if $V,,@)

define remember_rule
$1: FORCE | $(FIRST)
	@mkdir -p $$(@D); echo '$2' | cmp -s - $$@ || echo '$2' >$$@
endef

define object_rule
$(folder.$1)/obj/%.o: %.c $(folder.$1)/flags
	$$(call say,compile,$$<$(if $(filter-out plain,$1), ($1)))
	@mkdir -p $$(@D)
	$$Q$$(begin) $(compile) $$(call options,$$<) -MMD -MP -MF $$(NEW).d -MT $$@ -c -o $$(NEW) $$< && \
	    mv -f $$(NEW).d $$(@:.o=.d) $$(end)
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

FORCE:
$(foreach v,$(VARIANTS),$(call remember,$(folder.$v)/flags,$(call compile,$v) $(link.$v))$(eval $(call object_rule,$v)))
