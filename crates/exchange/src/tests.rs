//! Workers on threads, and processes that are threads here: messages arrive in their round, and losses are noticed.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::*;

/// Unused addresses.
fn addresses(number: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> =
        (0..number).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("an address").to_string()).collect()
}

/// Everyone sends to everyone, a different number in each round; the sums are known.
fn chatter(rounds: &mut Rounds<(usize, u64)>) -> Result<u64, Lost> {
    let mut sum = 0;
    for round in 0..50 {
        for to in 0..rounds.peers() {
            for _ in 0..=round {
                rounds.send(to, (rounds.index(), round));
            }
        }
        let mut heard = vec![0; rounds.peers()];
        rounds.end(&mut |(from, said)| {
            assert_eq!(said, round);
            heard[from] += 1;
        })?;
        assert!(heard.iter().all(|count| *count == round + 1), "round {round}: {heard:?}");
        sum += heard.iter().sum::<u64>();
    }
    Ok(sum)
}

fn together(processes: usize, workers: usize) {
    let hosts = if processes == 1 { vec![] } else { addresses(processes) };
    let expected = (1..=50).sum::<u64>() * (processes * workers) as u64;
    std::thread::scope(|scope| {
        for process in 0..processes {
            let cluster = Cluster { workers, hosts: hosts.clone(), process, question: "chatter".into() };
            scope.spawn(move || {
                let sums = run(&cluster, &|| true, chatter).expect("all come");
                assert_eq!(sums, vec![Ok(expected); workers], "{cluster:?}");
            });
        }
    });
}

#[test]
fn messages_arrive_in_their_round() {
    for (processes, workers) in [(1, 1), (1, 3), (2, 1), (2, 2), (3, 1)] {
        together(processes, workers);
    }
}

#[test]
fn who_is_about_something_else_is_refused() {
    let hosts = addresses(2);
    let start = |process: usize, stamp: &'static str| {
        let cluster = Cluster { workers: 1, hosts: hosts.clone(), process, question: stamp.into() };
        std::thread::spawn(move || run(&cluster, &|| true, chatter))
    };
    let both = [start(0, "one"), start(1, "other")].map(|thread| thread.join().expect("no panic"));
    for result in both {
        assert!(matches!(&result, Err(Trouble::Stranger { reason, .. }) if reason.contains("question=")), "{result:?}");
    }
}

#[test]
fn nobody_is_waited_for_in_vain() {
    let cluster = Cluster { workers: 1, hosts: addresses(2), ..Cluster::default() };
    let start = Instant::now();
    let result = run(&cluster, &|| start.elapsed() < Duration::from_millis(200), chatter);
    assert_eq!(result, Err(Trouble::Unwanted));
}

#[test]
fn a_worker_that_fails_ends_the_others() {
    let results = run(&Cluster::threads(2), &|| true, |rounds: &mut Rounds<u64>| {
        assert_eq!(rounds.index(), 0, "this one is to fail");
        (0..100).try_for_each(|_| rounds.end(&mut |_| {}))
    });
    let lost = Lost("a worker of this process failed".into());
    assert_eq!(results.expect("they began"), [Err(lost)]);
}
