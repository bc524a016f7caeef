#!/bin/sh
# Answers requests of leat mdispatch, and of a router's RedisExporter:  answer.sh WORKERS     needs jq
workers=$1 redis=${REDIS_CLI:-redis-cli} # REDIS_CLI may hold more: redis-cli -p 6380
hand="$workers:answer.sh"                # what we have in hand is there; when we die, the next start of us answers it
while :; do
    text=$($redis lindex "$hand" -1)
    [ -n "$text" ] || text=$($redis blmove "$workers" "$hand" right left 5)
    [ -n "$text" ] || continue
    reply=$(printf '%s' "$text" | jq -r .meta.reply)
    answer=$(printf '%s' "$text" | jq -c '{meta: {id: .meta.id}, body: .body | ascii_upcase}') # the work
    printf '%s' "$answer" | $redis -x lpush "$reply" >/dev/null
    printf '%s' "$text" | $redis -x lrem "$hand" -1 >/dev/null
done
