"""What each kind promises when something goes wrong. The suite checks it, docs/guarantees.md is made from it."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Promise:
    """Counts are zero unless said; `forgets`: the server may lose writes that it had confirmed. `then` is what the
    service does about it, for people."""
    then: str
    forgets: bool = False
    twice: str = "0"


@dataclasses.dataclass(frozen=True)
class Variant:
    """The same kind set up otherwise: all its promises hold, and more. `usual`: the faults that every run of the tests
    tries; the rest comes with --all."""
    name: str
    sentence: str
    usual: tuple
    # What one server forgets the other may bring back, in part: there is nothing to hold it against.
    counts_what_is_forgotten: bool = True


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    sentence: str
    promises: dict
    beyond: tuple
    variants: tuple = ()
    takes: bool = False  # it takes and settles, and has moments that movers have not
    elsewhere: tuple = ()  # faults that the suite cannot play with it; tests of its own do
    rare: tuple = ()  # faults that come with --all only: the loop below is the same as that of another kind


MPUSH = Kind(
    name="mpush",
    sentence="Copies each message of `in` to every `out`. A batch is moved by one script: into every `out`, or it stays in "
    "`in`. Nothing is ever in between, so there is nothing to repair.",
    promises={
        "leat_is_killed": Promise("the next start goes on"),
        "one_of_three_replicas_is_killed": Promise("the others go on; order holds across replicas"),
        "leat_is_stopped": Promise("it finishes its batch, deregisters, exits with 0"),
        "leat_is_frozen_beyond_its_lease": Promise("it ends with exit code 1 when it wakes; under `leat run` it starts again"),
        "redis_is_stopped": Promise("it waits, connects again, goes on"),
        "redis_is_killed_fsync_always": Promise("it waits, connects again, goes on"),
        "redis_is_killed_fsync_everysec": Promise(
            "it waits, connects again, goes on with what Redis still has; both sides of a move are forgotten together",
            forgets=True),
        "redis_is_frozen": Promise("it gives the connection up after some seconds, tries again, goes on"),
        "an_answer_is_lost": Promise("it connects again; what was moved is moved, the rest is still in `in`"),
        "an_answer_is_lost_under_tls": Promise("the same"),
        "the_network_swallows_everything": Promise("it notices within some seconds by its health check, connects again"),
        "the_network_is_slow": Promise("it goes on, in batches"),
        "scripts_are_flushed": Promise("it loads them again with the next call"),
        "redis_is_out_of_memory": Promise("intake pauses, the registration is kept, it goes on when there is room"),
        "an_out_has_the_wrong_type": Promise("nothing moves, the log names the key, it goes on when that is repaired"),
        "all_data_is_flushed": Promise("it registers again and goes on with what comes after", forgets=True),
        "sentinel_fails_over": Promise("it asks the sentinels and goes on at the new master", forgets=True),
    },
    beyond=(
        "A consumer that takes with `BRPOP` loses what it holds when it dies; "
        "[the guide](guides/producers-and-consumers.md) has the recipe that does not.",
        "An `LPUSH` whose answer was lost may or may not have happened; a producer that sends it again may send it twice.",
        "When Redis forgets its last writes, a consumer may meet a message again that it had already taken: Redis has "
        "forgotten that, too.",
        "What mpush-redis left in `pending` when it died may have been passed on before; returned, it is delivered again.",
        "With `serviceRedis` on another server a message is moved first and tracked after: a crash in between leaves it "
        "delivered and untracked, and a retry that was counted and not yet pushed when leat died costs an attempt.",
    ),
    variants=(
        Variant(
            "mpush_tracked",
            "With `serviceNamespace`: every message is tracked once, and ends once: done, timed out, or expired; at the end "
            "nothing of it is left in Redis.",
            usual=("leat_is_killed", "one_of_three_replicas_is_killed", "redis_is_killed_fsync_always", "an_answer_is_lost",
                   "redis_is_out_of_memory")),
        Variant(
            "mpush_await_all",
            "With `await: all`: the same, when every out reports for itself.",
            usual=("one_of_three_replicas_is_killed", "redis_is_stopped")),
        Variant(
            "mpush_retry",
            "With `retry`: no message is delivered more often than its attempts allow, to any out; each ends done or in "
            "`dead`.",
            usual=("leat_is_killed", "one_of_three_replicas_is_killed", "redis_is_stopped", "an_answer_is_lost")),
        Variant(
            "mpush_elsewhere",
            "With `retry` and `serviceRedis` on another server: the same, but that tracking may miss what was moved when leat "
            "died or the other server was away.",
            usual=("leat_is_killed",), counts_what_is_forgotten=False),
    ),
)

AGAIN = "what was in work when it died"
EXEC = Kind(
    name="exec",
    takes=True,
    sentence="Runs a command for each message of `in`. A message is in `in`, in flight with one instance, or acknowledged: done and "
    "answered, waiting for another try, or in `dead`, in one step of Redis each. *Twice* is what the command does in the "
    "world; its answers are never there twice.",
    promises={
        "leat_is_killed": Promise("the next start takes back what it had in flight, at once on the same machine", twice=AGAIN),
        "one_of_three_replicas_is_killed": Promise("the same; several instances keep no order", twice=AGAIN),
        "dies_before_take": Promise("nothing was in flight"),
        "dies_after_take": Promise("it goes back to the front of its queue"),
        "dies_before_decide": Promise("it goes back to the front of its queue"),
        "dies_after_decide": Promise("it is done again: nobody but the command knew", twice="1 for each death"),
        "dies_before_settle": Promise("the same, for what was done", twice="up to 1 for each death"),
        "dies_after_settle": Promise("what was acknowledged stays acknowledged"),
        "dies_before_release": Promise("an instance with nothing in flight is forgotten"),
        "leat_is_stopped": Promise("it lets runs end (`stopTimeout`), settles, deregisters, exits with 0"),
        "leat_is_frozen_beyond_its_lease": Promise(
            "others take over; it cannot settle what it had, and ends with exit code 1", twice=AGAIN),
        "leat_stands_still_before_it_settles": Promise(
            "others do it again; when it wakes it cannot settle, and takes a new lease", twice="1 for each time"),
        "redis_is_stopped": Promise("runs go on; it connects again and settles"),
        "redis_is_killed_fsync_always": Promise("the same"),
        "redis_is_killed_fsync_everysec": Promise("the same, with what Redis still has", forgets=True,
                                                  twice="what Redis forgot"),
        "redis_is_frozen": Promise("runs go on; it connects again and settles"),
        "an_answer_is_lost": Promise("it asks what it has in flight, and goes on from there"),
        "an_answer_is_lost_and_redis_is_away": Promise("the same, and the order is kept"),
        "an_answer_is_lost_under_tls": Promise("the same"),
        "the_answer_of_take_is_lost": Promise("the same"),
        "the_answer_of_settle_is_lost": Promise("the same: a call has a number, and counts once"),
        "the_network_swallows_everything": Promise("it notices within some seconds by its health check, connects again"),
        "the_network_is_slow": Promise("it goes on"),
        "scripts_are_flushed": Promise("it loads them again with the next call"),
        "redis_is_out_of_memory": Promise(
            "what runs is acknowledged, the lease is kept; with `reply` nothing is taken until there is room"),
        "a_message_is_too_large_for_the_connection": Promise("a result that no connection survives is given up as `TooLarge`; the others go on"),
        "an_out_has_the_wrong_type": Promise("nothing is acknowledged, the log names the key, it goes on when that is repaired"),
        "all_data_is_flushed": Promise("it takes a new lease and goes on with what comes after", forgets=True,
                                       twice="what was in work"),
        "sentinel_fails_over": Promise("it goes on at the new master", forgets=True, twice="what Redis forgot"),
    },
    beyond=(
        "A command that has done its work and is not acknowledged when leat dies is run again: make what it does safe to repeat, or "
        "look for the message's own id first.",
        "When the clock of the Redis server jumps forward by more than `lease`, living instances count as dead.",
        "A command that runs too long is ended with its process group; what has left the group goes on. When leat itself is "
        "killed (`kill -9`), only the command is killed, not what it has started; and what a command leaves behind in the "
        "background when it exits goes on.",
        "What an instance on another machine, or in another container, had in flight when it died comes back when its lease "
        "has ended: to the front of the queue, but after what others have done meanwhile.",
        "With `maxDeliveries: 1` no message is ever delivered again, so all that is in flight when leat dies goes to `dead`.",
    ),
    variants=(
        Variant(
            "exec_many",
            "With `concurrency: 8`: the same but for the order, and of eight in work at a death all may be done again.",
            usual=("leat_is_killed", "one_of_three_replicas_is_killed", "the_answer_of_settle_is_lost",
                   "dies_before_settle")),
    ),
)

ROUTER = Kind(
    name="router",
    takes=True,
    sentence="Sends each message of an importer's `queue.in` along a route. What comes of it (the reply, what exporters push to "
    "the same Redis, the error queue) is one step of Redis with the end of the message itself: it is there once, or the message "
    "is still there.",
    promises={
        "leat_is_killed": Promise("the next start takes back what it had in flight, at once on the same machine"),
        "one_of_three_replicas_is_killed": Promise("the same; several instances keep no order"),
        "dies_before_take": Promise("nothing was in flight"),
        "dies_after_take": Promise("what was in flight goes back to the front of its queue"),
        "dies_before_decide": Promise("the same"),
        "dies_after_decide": Promise("the same: nothing has left the process yet"),
        "dies_before_settle": Promise("the same"),
        "dies_after_settle": Promise("what was acknowledged stays acknowledged"),
        "dies_before_release": Promise("an instance with nothing in flight is forgotten"),
        "leat_stands_still_before_it_settles": Promise("others take over; when it wakes it cannot settle, and takes a new lease"),
        "redis_is_frozen": Promise("it connects again and settles"),
        "an_answer_is_lost_under_tls": Promise("it asks what it has in flight, and goes on from there"),
        "the_answer_of_take_is_lost": Promise("the same"),
        "the_network_is_slow": Promise("it goes on"),
        "leat_is_stopped": Promise("messages under way end (up to `timeout`), it deregisters, exits with 0"),
        "leat_is_frozen_beyond_its_lease": Promise("others take over; it cannot settle what it had, and ends with exit code 1"),
        "redis_is_stopped": Promise("it waits, connects again, settles and goes on"),
        "redis_is_killed_fsync_always": Promise("the same"),
        "redis_is_killed_fsync_everysec": Promise("the same, with what Redis still has", forgets=True),
        "an_answer_is_lost": Promise("it asks what it has in flight, and goes on from there"),
        "an_answer_is_lost_and_redis_is_away": Promise("the same, and the order is kept"),
        "the_answer_of_settle_is_lost": Promise("the same: a call has a number, and counts once"),
        "the_network_swallows_everything": Promise("it notices within some seconds by its health check, connects again"),
        "scripts_are_flushed": Promise("it loads them again with the next call"),
        "redis_is_out_of_memory": Promise("what is in flight is acknowledged, nothing is taken until there is room"),
        "an_out_has_the_wrong_type": Promise("nothing is acknowledged, the log names the key, it goes on when that is repaired"),
        "a_message_is_too_large_for_the_connection": Promise("what need not be sent is done; the rest is given up as `TooLarge`; the others go on"),
        "all_data_is_flushed": Promise("it takes a new lease and goes on with what comes after", forgets=True),
        "sentinel_fails_over": Promise("it goes on at the new master", forgets=True),
    },
    beyond=(
        "An exporter with `redis` of its own pushes there before the message is acknowledged here: after a crash in between it is "
        "pushed again. An exporter with `queue.reply` asks again after a crash, so that a worker may get a request twice; the "
        "reply is there once.",
        "A message that fails goes to the error queue, and what exporters would have pushed for it is not pushed; requests that "
        "workers have seen by then they have seen.",
        "The order is kept with `concurrency: 1` and one instance.",
    ),
    rare=("a_message_is_too_large_for_the_connection", "dies_before_release", "leat_stands_still_before_it_settles", "redis_is_frozen", "an_answer_is_lost_and_redis_is_away",
          "an_answer_is_lost_under_tls",
          "the_answer_of_take_is_lost", "the_network_is_slow", "redis_is_killed_fsync_always", "scripts_are_flushed",
          "dies_before_take", "dies_before_decide"),
    variants=(
        Variant("router_many", "With `concurrency: 100`: the same but for the order.",
                usual=("leat_is_killed", "one_of_three_replicas_is_killed", "the_answer_of_settle_is_lost")),
        Variant("router_dedupe", "With a DedupeFilter first: it drops nothing that comes back because leat gave it back, or died.",
                usual=("one_of_three_replicas_is_killed", "an_out_has_the_wrong_type")),
    ),
)

ASKED = "what was asked and not answered when it died"
MDISPATCH = Kind(
    name="mdispatch",
    takes=True,
    sentence="Brings each request of `in` to a worker, and one answer back to whoever asked. A request is in flight until it is "
    "answered; its answer and its end are one step of Redis. *Twice* is how often a worker gets a request; its asker gets one "
    "answer.",
    promises={
        "leat_is_killed": Promise("the next start asks again, with new ids; answers to the old ones are dropped", twice=ASKED),
        "one_of_three_replicas_is_killed": Promise("the same", twice=ASKED),
        "dies_after_take": Promise("requests in flight go back to the front of their queue", twice=ASKED),
        "dies_before_settle": Promise("they are asked again", twice=ASKED),
        "dies_after_settle": Promise("what was answered is answered", twice=ASKED),
        "dies_before_take": Promise("nothing was in flight", twice=ASKED),
        "dies_before_decide": Promise("requests in flight go back to the front of their queue", twice=ASKED),
        "dies_after_decide": Promise("they are asked again", twice=ASKED),
        "dies_before_release": Promise("an instance with nothing in flight is forgotten"),
        "leat_is_frozen_beyond_its_lease": Promise("others ask again; it cannot settle what it had, and ends with exit code 1",
                                                   twice=ASKED),
        "leat_stands_still_before_it_settles": Promise("others ask again; when it wakes it cannot settle, and takes a new lease",
                                                       twice=ASKED),
        "redis_is_killed_fsync_everysec": Promise("it waits, connects again, goes on with what Redis still has", forgets=True,
                                                  twice="what Redis forgot"),
        "redis_is_frozen": Promise("it connects again and goes on", twice="what was just being asked"),
        "an_answer_is_lost_under_tls": Promise("the same as without", twice="what was just being asked"),
        "the_answer_of_take_is_lost": Promise("it asks what it has in flight, and goes on from there"),
        "the_answer_of_settle_is_lost": Promise("the same: a call has a number, and counts once"),
        "the_network_is_slow": Promise("it goes on", twice="what was just being asked"),
        "all_data_is_flushed": Promise("it takes a new lease and goes on with what comes after", forgets=True,
                                       twice="what was being asked"),
        "a_message_is_too_large_for_the_connection": Promise("its asker gets the error `TooLarge`; the others go on",
                                                             twice="what was just being asked"),
        "leat_is_stopped": Promise("what was asked is answered (up to `timeout`), it deregisters, exits with 0"),
        "redis_is_stopped": Promise("it waits, connects again, goes on", twice="what was just being asked"),
        "redis_is_killed_fsync_always": Promise("the same", twice="what was just being asked"),
        "an_answer_is_lost": Promise("what was asked is asked again, answers are read again", twice="what was just being asked"),
        "an_answer_is_lost_and_redis_is_away": Promise("the same", twice="what was just being asked"),
        "the_network_swallows_everything": Promise("it notices within some seconds, connects again",
                                                   twice="what was just being asked"),
        "scripts_are_flushed": Promise("it loads them again with the next call"),
        "redis_is_out_of_memory": Promise("what is answered is acknowledged, nothing is taken until there is room"),
        "an_out_has_the_wrong_type": Promise("nothing is acknowledged, the log names the key, it goes on when that is repaired"),
        "sentinel_fails_over": Promise("it goes on at the new master", forgets=True, twice="what Redis forgot"),
    },
    rare=("dies_before_take", "dies_before_decide", "dies_before_release", "leat_stands_still_before_it_settles",
          "redis_is_frozen", "an_answer_is_lost_and_redis_is_away", "an_answer_is_lost_under_tls", "the_answer_of_take_is_lost", "the_network_is_slow",
          "redis_is_killed_fsync_everysec", "redis_is_killed_fsync_always", "scripts_are_flushed", "all_data_is_flushed",
          "leat_is_frozen_beyond_its_lease"),
    beyond=(
        "A worker that takes with `BRPOP` and dies has lost its request: the asker gets a Timeout error. A worker that keeps what "
        "it has taken in a list until it has answered (`LMOVE`) loses none.",
    ),
)

RQUERY = Kind(
    name="rquery",
    takes=True,
    sentence="Answers each query of `in` with values that it reads. The answer and the end of the query are one step of Redis. What "
    "a query reads it may read again after a fault; what it writes (`allow`) it may write again.",
    promises={
        "leat_is_killed": Promise("the next start answers what was in flight"),
        "one_of_three_replicas_is_killed": Promise("the same"),
        "dies_after_take": Promise("queries in flight go back to the front of their queue"),
        "dies_after_decide": Promise("they are asked again"),
        "dies_after_settle": Promise("what was answered is answered"),
        "dies_before_take": Promise("nothing was in flight"),
        "dies_before_decide": Promise("queries in flight go back to the front of their queue"),
        "dies_before_settle": Promise("they are asked again"),
        "dies_before_release": Promise("an instance with nothing in flight is forgotten"),
        "leat_is_frozen_beyond_its_lease": Promise("others take over; it cannot settle what it had, and ends with exit code 1"),
        "leat_stands_still_before_it_settles": Promise("others take over; when it wakes it cannot settle, and takes a new lease"),
        "redis_is_killed_fsync_everysec": Promise("it waits, connects again, goes on with what Redis still has", forgets=True),
        "redis_is_frozen": Promise("it connects again and asks again"),
        "an_answer_is_lost_under_tls": Promise("the same as without"),
        "the_answer_of_take_is_lost": Promise("it asks what it has in flight, and goes on from there"),
        "the_answer_of_settle_is_lost": Promise("the same: a call has a number, and counts once"),
        "the_network_swallows_everything": Promise("it notices within some seconds by its health check, connects again"),
        "the_network_is_slow": Promise("it goes on"),
        "redis_is_out_of_memory": Promise("what is in flight is acknowledged, nothing is taken until there is room"),
        "sentinel_fails_over": Promise("it goes on at the new master", forgets=True),
        "all_data_is_flushed": Promise("it takes a new lease and goes on with what comes after", forgets=True),
        "a_message_is_too_large_for_the_connection": Promise("a query is bounded by `maxBytes`, and so never that large; it gets an error"),
        "leat_is_stopped": Promise("queries under way are answered, it deregisters, exits with 0"),
        "redis_is_stopped": Promise("it waits, connects again, asks again"),
        "redis_is_killed_fsync_always": Promise("the same"),
        "an_answer_is_lost": Promise("it asks what it has in flight, and goes on from there"),
        "an_answer_is_lost_and_redis_is_away": Promise("the same"),
        "scripts_are_flushed": Promise("it loads them again with the next call"),
        "an_out_has_the_wrong_type": Promise("nothing is acknowledged, the log names the key, it goes on when that is repaired"),
    },
    rare=("a_message_is_too_large_for_the_connection", "dies_before_take", "dies_before_decide", "dies_before_settle", "dies_before_release",
          "leat_is_frozen_beyond_its_lease", "leat_stands_still_before_it_settles", "redis_is_killed_fsync_everysec",
          "redis_is_killed_fsync_always", "redis_is_frozen", "an_answer_is_lost_and_redis_is_away", "an_answer_is_lost_under_tls", "the_answer_of_take_is_lost",
          "the_answer_of_settle_is_lost", "the_network_swallows_everything", "the_network_is_slow", "redis_is_out_of_memory",
          "sentinel_fails_over", "all_data_is_flushed", "scripts_are_flushed"),
    beyond=(
        "A query is no transaction: between its commands, others may change what is read.",
        "Redis keeps replies until they are read. Commands wait so that those under way stay within `maxReplyBytesInFlight`, each "
        "reckoned as the largest seen lately, and as 512 kB at least; where small values give way to large ones at once, up to 32 "
        "large ones are under way.",
    ),
)

BRIDGE = Kind(
    name="bridge",
    takes=True,
    sentence="Brings responses to clients, in order per conversation. What is taken from `in` and `answers` is in flight until its "
    "conversation is known to have it, and done twice it changes nothing; a delivery is pushed to its origin's list by the step that "
    "claims it. So a crash of leat costs nothing but time, and the order is that of the requests, whatever happens.",
    promises={
        "leat_is_killed": Promise("the next start takes back what it had in flight; deliveries under way are not touched by it"),
        "one_of_three_replicas_is_killed": Promise("the others go on; several instances may take from `in` in any order"),
        "dies_before_bridge_accept": Promise("messages in flight go back to the front of their queue"),
        "dies_after_bridge_accept": Promise("they come again, and are known"),
        "dies_before_bridge_conclude": Promise("outcomes in flight go back to the front of their queue"),
        "dies_after_bridge_conclude": Promise("they come again, and are known by their fence"),
        "dies_after_take": Promise("messages in flight go back to the front of their queue"),
        "dies_before_decide": Promise("the same"),
        "dies_after_decide": Promise("they come again, and are known"),
        "dies_before_release": Promise("an instance with nothing in flight is forgotten"),
        "leat_is_frozen_beyond_its_lease": Promise("others take over; it cannot settle what it had, and ends with exit code 1"),
        "leat_stands_still_before_it_settles": Promise("others take over; when it wakes it cannot settle, and takes a new lease"),
        "redis_is_killed_fsync_everysec": Promise("it waits, connects again, goes on with what Redis still has", forgets=True),
        "all_data_is_flushed": Promise("it takes a new lease and goes on with what comes after", forgets=True),
        "sentinel_fails_over": Promise("it goes on at the new master", forgets=True),
        "dies_before_settle": Promise("they come again, and are known"),
        "dies_after_settle": Promise("what was acknowledged stays acknowledged"),
        "a_message_is_too_large_for_the_connection": Promise("it is given up as `TooLarge`; the others go on"),
        "leat_is_stopped": Promise("it ends what it has in flight, deregisters, exits with 0"),
        "redis_is_stopped": Promise("it waits, connects again, goes on"),
        "redis_is_killed_fsync_always": Promise("the same"),
        "redis_is_frozen": Promise("it connects again and goes on"),
        "an_answer_is_lost": Promise("it does again what may not have been done, which changes nothing if it was"),
        "an_answer_is_lost_and_redis_is_away": Promise("the same, and the order is kept"),
        "an_answer_is_lost_under_tls": Promise("the same"),
        "the_network_swallows_everything": Promise("it notices within some seconds by its health check, connects again"),
        "the_network_is_slow": Promise("it goes on"),
        "scripts_are_flushed": Promise("it loads them again with the next call"),
        "redis_is_out_of_memory": Promise("outcomes are noted, nothing new is accepted until there is room"),
    },
    beyond=(
        "A delivery whose outcome is not known when its lease (`maxPendingTtl`) ends is made again, with a higher `fence`: a client "
        "that sent it and could not say so has it twice. It can tell by the id of the response.",
        "A request without a reply holds up what comes after it for `messageTtl`, then gives way, and is counted. A response that could "
        "not be delivered in `awaitedMessageTtl` is given up after at least one try, however long it waited for room; that is an event, "
        "and counted.",
        "A response whose life ends while no instance serves is an event, counted, and among the dead letters, from where it can be sent "
        "back. Before that, what waits in `in` and `answers` is dealt with. Nothing is kept for longer than `keepTtl` (7 days) without "
        "an instance; even then its end is an event.",
        "A response that an instance had accepted and not acknowledged when it died is known when it comes again, for `dedupTtl` (a minute) "
        "after its delivery. When no instance serves for longer than that just then, it is delivered a second time.",
        "An outcome that comes after its lease counts as long as the response was not sent again. An acknowledgement counts only within "
        "`sentMessageTtl`, also when no instance was there to read it.",
        "A failover to a replica that had not heard of a lease may have a response sent twice.",
    ),
    # It takes with the call that settles.
    elsewhere=("dies_before_take", "the_answer_of_take_is_lost", "the_answer_of_settle_is_lost", "an_out_has_the_wrong_type"),
    rare=("dies_before_decide", "dies_after_decide", "dies_before_release", "leat_is_frozen_beyond_its_lease",
          "leat_stands_still_before_it_settles", "redis_is_killed_fsync_everysec", "all_data_is_flushed", "sentinel_fails_over",
          "dies_after_take", "dies_before_settle", "dies_after_settle", "redis_is_killed_fsync_always", "redis_is_frozen",
          "an_answer_is_lost_under_tls", "the_network_is_slow", "scripts_are_flushed", "the_network_swallows_everything"),
)

KINDS = (MPUSH, EXEC, ROUTER, MDISPATCH, RQUERY, BRIDGE)
