#!/bin/sh
# A worker of leat in shell: takes messages of one out, works on each, and reports it done.
#   worker.sh NAMESPACE OUT [COMMAND...]     COMMAND gets the message on its standard input; default: cat
# A message is a line here; for others, and for those with a meta.id, see worker.py. REDIS_CLI may hold more: redis-cli -p 6380
namespace=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- cat
redis=${REDIS_CLI:-redis-cli}
hand="$out:worker.sh" # what we have in hand is there; nothing is lost when we die

while :; do
    # First what an earlier life of ours had in hand, then the next of the queue.
    message=$($redis lindex "$hand" -1)
    [ -n "$message" ] || message=$($redis blmove "$out" "$hand" right left 5)
    [ -n "$message" ] || continue
    if printf '%s' "$message" | "$@"; then
        case $message in
        *[!0-9]*) xid=$(printf '%s' "$message" | sha1sum | cut -d ' ' -f 1) ;;
        *) xid=$message ;;
        esac
        id=$($redis hget "$namespace:message:xid:$xid" id)
        [ -z "$id" ] || $redis lpush "$namespace:message:done" "$id:$out" >/dev/null
    fi # a failure is not reported: after its timeout leat delivers the message again, if it is set up to
    $redis lrem "$hand" -1 "$message" >/dev/null
done
