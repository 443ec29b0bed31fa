# The slides: each deck slides/NAME.md becomes one HTML file and one PDF in build/slides/. A new deck is found by itself.

##@ What else you may set
## DRAFT=1: builds slides with faults, and a box for a missing figure
DRAFT :=

SLIDES    := $(BUILD)/slides
SITE      := $(BUILD)/site
DECKS     := $(wildcard slides/opening.md slides/kernel.md slides/[0-9][0-9]-*.md)
DECK_HTML := $(DECKS:slides/%.md=$(SLIDES)/%.html)
PAGE_HTML := $(patsubst %/README.html,%/course.html,$(patsubst slides/%.md,$(SLIDES)/%.html,$(wildcard slides/README.md \
             slides/cheat-sheet.md slides/glossary.md)))
SLIDES_HTML := $(DECK_HTML) $(PAGE_HTML) $(SLIDES)/index.html
SLIDES_PDF  := $(patsubst %.html,%.pdf,$(DECK_HTML) $(filter %/cheat-sheet.html,$(PAGE_HTML)))
$(call remember,$(SLIDES)/draft,$(DRAFT))
SLIDES_THEME := $(wildcard slides/theme/*) $(SLIDES)/fonts.css $(SLIDES)/draft $(filter-out \
                $(addprefix slides/tools/,check.py record.py picture.py texts.py fonts.py),$(wildcard slides/tools/*.py)) \
                $(BUILD)/bin/labtrace

check_slides = MAKE='$(MAKE_COMMAND)' BUILD='$(BUILD)' lib/tools/python.sh slides/tools/check.py $1
build_slides = DRAFT='$(DRAFT)' BUILD='$(BUILD)' lib/tools/python.sh slides/tools/build.py

$(SLIDES)/fonts.css: slides/tools/fonts.py | $(FIRST)
	$(call say,fonts,$@)
	@mkdir -p $(@D)
	$Q$(begin) lib/tools/python.sh $< $(NEW) $(end)

$(DECK_HTML): $(SLIDES)/%.html: slides/%.md $(SLIDES_THEME)
	$(call say,slides,$@)
	$Q$(build_slides) deck $< $@

$(SLIDES)/course.html: slides/README.md $(SLIDES_THEME)
	$(call say,slides,$@)
	$Q$(build_slides) page $< $@

$(SLIDES)/glossary.html: slides/glossary.md $(SLIDES_THEME)
	$(call say,slides,$@)
	$Q$(build_slides) page $< $@

$(SLIDES)/cheat-sheet.html: slides/cheat-sheet.md $(SLIDES_THEME)
	$(call say,slides,$@)
	$Q$(build_slides) sheet $< $@

$(SLIDES)/index.html: $(DECKS) $(SLIDES_THEME)
	$(call say,slides,$@)
	$Q$(build_slides) index $(DECKS) $@

# The playground: one page that asks the library in WebAssembly (lib.mk). Only the goals that want it ask for a compiler;
# where there is none it is left out, and the decks and pages do not name it.
PLAYGROUND_PAGE := $(SLIDES)/playground.html
PLAYGROUND_LEFT := There is no compiler for WebAssembly here, so the playground is left out. make setup FOR=slides installs one.
ifneq ($(filter slides slides-html site,$(MAKECMDGOALS)),)
HAS_WASM := $(shell bash -c '. lib/tools/needs.sh; works wasm_program' && echo yes)
$(call remember,$(SLIDES)/wasm,$(HAS_WASM))
$(DECK_HTML) $(SLIDES)/index.html: $(SLIDES)/wasm
endif
$(PLAYGROUND_PAGE): $(BUILD)/playground.wasm $(wildcard slides/playground/*) slides/tools/playground.py $(wildcard slides/theme/*.css)
	$(call say,slides,$@)
	@mkdir -p $(@D)
	$Q$(begin) lib/tools/python.sh slides/tools/playground.py $< $(NEW) $(end)
$(DECK_HTML) $(SLIDES)/index.html: | $(if $(HAS_WASM),$(PLAYGROUND_PAGE))

# To start Chromium takes longer than to print: one prints all pages that have changed or have no PDF.
UNPRINTED := $(filter-out $(wildcard $(SLIDES_PDF)),$(SLIDES_PDF))
PRINTED    = $(if $(filter %.py,$?),$(SLIDES_PDF),$(sort $(patsubst %.html,%.pdf,$(filter %.html,$?)) $(UNPRINTED)))
$(SLIDES)/printed: $(SLIDES_PDF:%.pdf=%.html) lib/tools/browser.py $(if $(UNPRINTED),FORCE)
	$(call say,print,$(words $(PRINTED)) PDF in $(SLIDES))
	$Qlib/tools/python.sh lib/tools/browser.py $(foreach pdf,$(PRINTED),$(pdf:%.pdf=%.html) $(pdf)) && touch $@
$(SLIDES_PDF): $(SLIDES)/printed ;

# Chromium prints. Asking for it takes a moment, so only these goals do.
ifneq ($(filter slides,$(MAKECMDGOALS)),)
PRINTS := $(shell bash -c '. lib/tools/needs.sh; runs chromium chromium-browser google-chrome' >/dev/null 2>&1 && echo yes)
endif

$(call needs,slides slides-html slides-watch slides-pictures site,Jinja2 pandoc fonttools fonts)
$(call needs,slides-pictures,Chromium)
$(call needs,playground,Jinja2 WebAssembly)

.PHONY: playground slides slides-html site slides-watch slides-check slides-pictures

##@ To teach
## slides: Builds the decks as HTML and PDF, in build/slides.
slides: $(SLIDES_HTML) $(if $(PRINTS),$(SLIDES_PDF))
	@$(if $(HAS_WASM),,echo '$(PLAYGROUND_LEFT)')
	@$(if $(PRINTS),,echo 'There is no Chromium here, so no PDF is made. The HTML is whole; a browser prints it, and make setup FOR=workbook installs one.')

# A draft while you write: HTML only, and a figure may be missing.
## slides-watch: Builds the decks again whenever you save.
slides-watch:
	@MAKELEVEL= MAKEFLAGS= MAKE="$(MAKE) $(MAKEOVERRIDES) DRAFT=1" BUILD='$(BUILD)' slides/tools/watch.sh slides-html
slides-html: $(SLIDES_HTML)

# The site takes the decks as they are built, and makes all other pages at once, in seconds. A new text is found by its
# place; what else the pages show is in site.d.
SITE_TEXTS := $(wildcard README.md labs/*.md labs/*/README.md lib/*.md lib/docs/*.md lib/examples/*.md lib/examples/*/*.md lib/include/*.h \
              grader/*.md grader/docs/*.md slides/*.md slides/figures/*.json slides/site/*)
$(SITE)/index.html: $(DECK_HTML) $(SLIDES_THEME) $(SITE_TEXTS) $(if $(HAS_WASM),$(PLAYGROUND_PAGE))
	$(call say,site,$@)
	$Qnew=$(SITE).$$$$; trap 'rm -rf $$new $$new.d' EXIT INT TERM; \
	    BUILD='$(BUILD)' lib/tools/python.sh slides/site/build_site.py $(SLIDES) $$new $@ && \
	    mv -f $$new.d $(SITE).d && rm -rf $(SITE) && mv $$new $(SITE)

## site: Makes web pages of the whole workbook, in build/site.
site: $(SITE)/index.html
	@$(if $(HAS_WASM),,echo '$(PLAYGROUND_LEFT)')
	@echo 'Open $(SITE)/index.html in a browser. The folder needs no server and can be published as it is.'

## playground: Opens a page on which you move calls between streams.
playground: $(PLAYGROUND_PAGE)
	@lib/tools/open-page.sh $< && echo 'Your browser opens file://$(abspath $<)' || \
	    echo 'Open file://$(abspath $<) in a browser. It needs nothing around it.'

## slides-check: Finds faults of the slides; part of verify.
slides-check: $(BUILD)/bin/labtrace
	@$(call check_slides)

include $(wildcard slides/record.mk)

## slides-pictures: Makes the pictures that README.md shows.
slides-pictures: $(SLIDES)/02-events.html
	lib/tools/python.sh lib/tools/browser.py '$<#produce-record-wait-consume' slides/pictures/slide.png
	BUILD='$(BUILD)' lib/tools/python.sh slides/tools/picture.py lab02-no-wait slides/pictures/timeline.svg

-include $(SLIDES_HTML:%=%.d) $(SITE).d
