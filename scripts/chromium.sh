#!/usr/bin/env bash
# A Chromium for the browser tests: a system one, else Playwright's own, else Debian's package when root.
set -u
python=${1:-python3}
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
"$python" -m playwright install chromium >/dev/null 2>&1 && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get update -qq && apt-get install -y -qq chromium >/dev/null && exit 0
fi
echo "No Chromium could be found or installed: install one (for example the package 'chromium') and run make test again." >&2
exit 1
