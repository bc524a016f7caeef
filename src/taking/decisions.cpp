#include "taking/decisions.hpp"

#include "base/point.hpp"

namespace leat::taking {

using boost::asio::awaitable;

void ticket::decide(verdict how) const {
    base::reached("after_decide");
    owner_->decided(which_, std::move(how));
}

decisions::decisions(const work& what, taker& decides, base::stop_signal& stop, const base::log_ptr& log)
    : work_{what}
    , taker_{decides}
    , backlog_{what.results}
    , stop_{stop}
    , abandoned_{std::make_shared<base::stop_signal>(stop.awake().executor())}
    , under_way_{stop.awake().executor(), log} {
}

void decisions::begin() {
    for (auto which : taker_.take_begun()) {
        if (taker_.starts(which)) {
            base::reached("before_decide");
            begin(which);
        }
    }
    backlog_.set(taker_.is_overfull());
}

void decisions::begin(hand::entry which) {
    if (!work_.decide) {
        under_way_.spawn("decide", decide(which, abandoned_));
        return;
    }
    auto how = work_.decide({which->message, which->delivery, taker_.lease()}, ticket{*this, which});
    if (how) {
        base::reached("after_decide");
        taker_.decide(which, std::move(*how));
    } else {
        taker_.has_begun(which);
    }
}

awaitable<void> decisions::decide(hand::entry which, std::shared_ptr<base::stop_signal> abandoned) {
    taken given{which->message, which->delivery, taker_.lease()};
    auto how = co_await work_.later(given, *abandoned);
    base::reached("after_decide");
    decided(which, std::move(how));
}

void decisions::decided(hand::entry which, verdict how) {
    taker_.decide(which, std::move(how));
    backlog_.set(taker_.is_overfull());
    stop_.awake().notify_all();
}

void decisions::abandon() {
    abandoned_->request();
    if (work_.abandon) {
        work_.abandon();
    }
}

void decisions::begin_anew() {
    abandon();
    abandoned_ = std::make_shared<base::stop_signal>(stop_.awake().executor());
}

awaitable<void> decisions::wait() {
    co_await under_way_.wait();
    while (taker_.held().undecided() > 0 && work_.decide) {
        co_await stop_.awake().wait_for(std::chrono::seconds{1});
    }
}

} // namespace leat::taking
