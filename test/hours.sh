#!/usr/bin/env bash
# Runs tests as if it were another time: `npm run test:hours -- [MOMENT…] [FILE…]`.
# Without a MOMENT, all of them one after the other; without a FILE, the whole suite.
# `--sample` runs a quarter of the files at one moment, both drawn by the clock; `--list` shows the moments. It leaves out slow files and
# those that start proxies, stores of their own or whole installations, whose programs do not all bear a clock that was moved.
# Redis and PostgreSQL keep the machine's time: laurel gives them no environment, so libfaketime is not loaded there.
set -euo pipefail
cd "$(dirname "$0")/.."

today=$(date --utc +%F)
# Name, zone of the machine, instant.
moments="
00:01          UTC                 ${today}T00:01Z
11:59          UTC                 ${today}T11:59Z
12:01          UTC                 ${today}T12:01Z
20:50          UTC                 ${today}T20:50Z
23:59          UTC                 ${today}T23:59Z
leap-day       UTC                 2028-02-29T12:01Z
new-years-eve  UTC                 2026-12-31T23:58Z
us-spring      America/Los_Angeles 2027-03-14T09:59Z
us-autumn      America/Los_Angeles 2027-11-07T08:59Z
eu-spring      Europe/Berlin       2027-03-28T00:59Z
eu-autumn      Europe/Berlin       2027-10-31T00:59Z
kiritimati     Pacific/Kiritimati  ${today}T09:59Z
los-angeles    America/Los_Angeles ${today}T07:59Z
"

if [ "${1:-}" = --list ]; then
  echo "$moments"
  exit
fi
if ! command -v faketime > /dev/null; then
  echo 'faketime is missing; on Debian and Ubuntu: apt-get install faketime' >&2
  exit 1
fi

is_moment() { grep -q "^$1 " <<< "$moments"; }
chosen=()
files=()
if [ "${1:-}" = --sample ]; then
  drawn=$(($(date +%s) / 60))
  mapfile -t names < <(awk 'NF { print $1 }' <<< "$moments")
  chosen=("${names[drawn % ${#names[@]}]}")
  whole='(.*\.slow|browser|console|drain|live|pgBouncer|relay\.failures|secureStores|start.*|upgrades)'
  mapfile -t files < <(ls test/*/*.test.ts | grep -vE "/$whole\.test\.ts$" | awk -v part=$((drawn % 4)) 'NR % 4 == part')
else
  for argument in "$@"; do
    if is_moment "$argument"; then chosen+=("$argument"); else files+=("$argument"); fi
  done
fi

failed=()
while read -r name zone instant; do
  [ -n "$name" ] || continue
  [ ${#chosen[@]} -eq 0 ] || [[ " ${chosen[*]} " == *" $name "* ]] || continue
  echo "== $name: $instant, TZ=$zone"
  offset_s=$(($(date --date="$instant" +%s) - $(date +%s)))
  # Durations stay true: only the time of day is moved, and times of files are left alone.
  TZ=$zone NO_FAKE_STAT=1 faketime -m --exclude-monotonic -f "$(printf '%+d' "$offset_s")s" \
    npx vitest run "${files[@]}" < /dev/null || failed+=("$name")
done <<< "$moments"

if [ ${#failed[@]} -gt 0 ]; then
  echo "failed at: ${failed[*]}; to repeat: npm run test:hours -- ${failed[*]} ${files[*]}"
  exit 1
fi
