/*
 * The lease, the takeover and the interruption contract, as a model that Spin checks exhaustively.
 *
 * One run, N owners, one person, one operator, one clock. README.md beside this file says how to run it, which line of
 * code each statement stands for, and what is left out.
 *
 * How to read it:
 *
 * - `atomic { guard -> ... }` is one database transaction, or one thing that happens in one process at one moment. It
 *   happens whole or not at all. Between any two of them anything may happen.
 * - A stall needs no statement of its own: an owner stalls wherever the others go on without it, and thaws when it
 *   does its next statement.
 * - A death is a statement of Fate: what the process had in memory is gone, what is in the database stays.
 * - An alternative that begins with `:: ... ->` is chosen freely among those whose guard is true. So "the policy may
 *   allow, deny, ask or abort" is four alternatives, and all of them are tried.
 * - Time is what is left of it: `left` counts down to 0, where the lease has lapsed. So the clock never ends.
 * - GHOST marks what no program keeps: it is there for an assertion to look at.
 *
 * `-DFAULT_...` plants a fault, and `-DLIVENESS` asks for the other kind of property: that every run ends.
 */

#ifndef N
#define N 2         /* owners: runtimes that execute runs, in processes of their own */
#endif
#ifndef TTL
#define TTL 2       /* the length of a lease, in ticks of the clock */
#endif
#ifndef STEPS
#define STEPS 2     /* the limit maxSteps (P5): each step is one operation */
#endif
#ifndef RERUNS
#define RERUNS 1    /* how often the person approves a call of unknown outcome; after that they settle or reject it */
#endif
#ifndef ASKS
#define ASKS 1      /* how often the policy answers a grant by asking for something else (A3) */
#endif

#define NOBODY 0
#define DEAD (N + 1)          /* the name of a process that died: random, so no process has it ever again (L2) */

/* ---- The database: what outlives every process. ------------------------------------------------------------------ */

#define PENDING 0
#define RUNNING 1
#define WAITING 2
#define ENDED 3               /* COMPLETED, FAILED or CANCELLED */
byte status = PENDING;        /* of the run */

byte owner = NOBODY;          /* lease_owner */
short left = 0;               /* lease_expires_at, as what is left of it; 0: lapsed, or none */

#define CLOSED 0              /* done, failed, or interrupted with an observation; also: no step yet */
#define DECIDING 1
#define AWAITING 2
#define EXECUTING 3
#define OPEN 4                /* interrupted, and without an observation: nobody has said yet what came of the call */
byte step = 0;                /* the index of the last step */
byte stepStatus = CLOSED;
byte attempt = 0;             /* calls of this step that were committed as started */
bool readOnly = false;        /* what its tool declared when it was called */

#define NONE 0
#define ASKED 1               /* an approval is `pending` */
#define APPROVED 2
#define SPENT 3
#define SETTLED 4
byte approval = 0;            /* which approval of this step is the latest */
byte approvalStatus = NONE;
bool aboutOutcome = false;    /* interrupted_side_effect or unknown_outcome; else what the policy asked for */

/* ---- The owners' memory: what dies with its process. ------------------------------------------------------------- */

#define GONE 0                /* died, and never restarted */
#define IDLE 1                /* executes nothing */
#define SAW 2                 /* a resume has read the run, and asks the policy if it is an approved one */
#define LOOP 3                /* from here on a session holds the run: the top of the loop */
#define ASKING 4              /* the agent is deciding */
#define JUDGING 5             /* the policy is judging what it decided */
#define STARTED 6             /* the tool start is committed, the tool not called yet */
#define CALLING 7             /* the tool is running */
#define SETTLING 8            /* an open step: its reconciliation is asked, if there is one */
byte at[N + 1];               /* where each owner is */
int seen[N + 1];              /* where the run stood when its resume read it */
byte deadline[N + 1];         /* the local deadline that loop and heartbeat share, as what is left of it */

#define IS_HELD(i) (at[i] >= LOOP)
/* It waits for a user's code: an agent, a policy, a tool, a reconciliation. */
#define IS_OUTSIDE(i) (at[i] >= ASKING && at[i] != STARTED)

/* ---- Ghosts. ----------------------------------------------------------------------------------------------------- */

byte calls = 0;               /* GHOST: how often the tool was called for this step's operation */
byte reruns = 0;              /* GHOST: how often a person approved to run it once more */
bool told = true;             /* GHOST: somebody has said what came of the last call, or that it cannot be known */
byte cancelledUnder = NOBODY; /* GHOST: who held the run when an operator cancelled it */
byte asks = 0;                /* bounds what the policy asks for at a resume */

/*
 * Deaths, clean stops, and lapses of an owner that lives: without end, and no run could end among them. With LIVENESS a
 * calm may begin at any moment, after any number of them, and lasts.
 */
#ifdef LIVENESS
bool calm = false;
#else
#define calm false
#endif

/* ---- Guards. ----------------------------------------------------------------------------------------------------- */

/* assertHeld: a write of the loop requires the lease; not that it is unexpired (L4). */
#define HOLDS(i) (status == RUNNING && owner == i)

/* The same of a write that starts a side effect: unexpired as well (L4). */
#ifdef FAULT_NO_EXPIRY_CHECK
#define MAY_START(i) HOLDS(i)
#else
#define MAY_START(i) (HOLDS(i) && left > 0)
#endif

/* assertLive: the check in the very tick of the call, which reads no database (L4). */
#ifdef FAULT_NO_TICK_CHECK
#define IS_LIVE(i) true
#else
#define IS_LIVE(i) (deadline[i] > 0)
#endif

/* The write of what came of a call. */
#ifdef FAULT_RECORD_ANYWAY
#define MAY_RECORD(i) true
#else
#define MAY_RECORD(i) HOLDS(i)
#endif

/* A lease that is live is nobody else's to take (L6). */
#ifdef FAULT_EAGER_TAKEOVER
#define IS_FREE true
#else
#define IS_FREE (owner == NOBODY || left <= 0)
#endif

/* standing(): what a resume decides on, as one number. */
#define STANDING \
  (status + 4 * (owner + 8 * (step + 4 * (stepStatus + 8 * (attempt + 4 * (approval + 16 * approvalStatus))))))

/* assertAsSeen: of two that resume one run, the second finds it changed and changes nothing (S5, A4). */
#ifdef FAULT_NO_COMPARE
#define AS_SEEN(i) true
#else
#define AS_SEEN(i) (STANDING == seen[i])
#endif

/* What the resume found decides which way it takes, and that was before its transaction. */
#define SAW_GRANT(i) (seen[i] % 4 == WAITING && seen[i] / 65536 == APPROVED)

/* A resume of any other run returns it as it is, or throws, and changes nothing: no statement. */
#ifdef FAULT_STRANDED
#define GOES_ON (approvalStatus == APPROVED)
#else
#define GOES_ON (approvalStatus == APPROVED || approvalStatus == SETTLED)
#endif
#define IS_RESUMABLE (status == PENDING || (status == RUNNING && IS_FREE) || (status == WAITING && GOES_ON))

#define IS_ASKED (status == WAITING && approvalStatus == ASKED)

/* What must be true where the tool is called. */
#define MAY_CALL(i) ((HOLDS(i) && left > 0 && stepStatus == EXECUTING) || cancelledUnder == i)

/* ---- What the moves write. `inline` is text that is put in: each is part of the transaction that uses it. -------- */

/* A session ends. Its heartbeat stops; a lease that no commit released is left to run out. */
inline leave(i) {
  at[i] = IDLE;
  deadline[i] = 0
}

/* The lease is taken, or taken over, in the transaction that uses this (L1, L7). */
inline take(i) {
  status = RUNNING;
  owner = i;
  left = TTL;
  deadline[i] = TTL
}

/* The step is finished: it has an observation. */
inline closeStep() {
  stepStatus = CLOSED;
  readOnly = false
}

/* The same, because somebody said what came of its call: the tool, its reconciliation, or a person. */
inline answerStep() {
  told = true;
  closeStep()
}

inline release() {
  owner = NOBODY;
  left = 0
}

/* The run ends around its open step and its open approval (S6). What nobody reads any more is made alike. */
inline endRun() {
  status = ENDED;
  release();
  closeStep();
  step = 0;
  attempt = 0;
  approval = 0;
  approvalStatus = NONE;
  aboutOutcome = false;
  asks = 0
}

/* Every write of the loop uses this. */
inline recordedBy(i) {
  assert(status == RUNNING && owner == i)             /* law: nothing is recorded without the lease (L4, L8) */
}

/* The run pauses on a new approval, and the lease is released (L1, A6). */
inline askPerson(outcome) {
  assert(approvalStatus != ASKED && approvalStatus != APPROVED); /* law: a step has at most one open approval (A3) */
  status = WAITING;
  release();
  stepStatus = AWAITING;
  approval++;
  approvalStatus = ASKED;
  aboutOutcome = outcome
}

/* Commit 3a: the step is marked `executing` before the tool is called (I1). */
inline startTool(i) {
  recordedBy(i);
  assert(left > 0);                                   /* law: a loop that stalled past its expiry starts nothing (L4) */
  assert(stepStatus == DECIDING || stepStatus == AWAITING); /* law: while it is held, nobody else moves its step (L4) */
  stepStatus = EXECUTING;
  attempt++;
  assert(attempt <= 1 + reruns);                      /* law: a start is the first, or approved (I2, I6) */
  told = readOnly;
  at[i] = STARTED
}

/* A takeover marks the step in flight, in its own transaction (L7, I3, I4). */
inline mark(i) {
  if
  :: stepStatus == EXECUTING && !readOnly ->
#ifdef FAULT_NO_MARK
     at[i] = STARTED                                  /* goes on where the dead owner was */
#else
#ifdef FAULT_FORGOTTEN_CALL
     stepStatus = CLOSED;                             /* as if every tool were read only */
     at[i] = LOOP
#else
     stepStatus = OPEN;
     at[i] = SETTLING
#endif
#endif
  :: stepStatus == OPEN -> at[i] = SETTLING           /* an earlier takeover died: done again alike (I8) */
  :: else ->
     closeStep();                                     /* deciding, or read only: the agent decides again (I3) */
     at[i] = LOOP
  fi
}

/* The resume of an approved run: the policy has been asked while the run still waited, and this commits its answer. */
inline resumeApproved(i) {
  if
  :: true ->                                          /* allow, or exactly what was granted (A3): all in one (A4) */
     assert(approvalStatus == APPROVED);              /* law: a spent grant starts nothing (A3, A4) */
#ifndef FAULT_LATE_SPEND
     approvalStatus = SPENT;
#endif
     take(i);
     startTool(i)
  :: true ->                                          /* deny: the agent sees it, and that nobody knows (A3) */
     approvalStatus = SPENT;
     take(i);
     answerStep();
     at[i] = LOOP
  :: asks < ASKS ->                                   /* another approval: the old grant is spent, the run waits on */
     asks++;
     approvalStatus = SPENT;
     askPerson(aboutOutcome);
     at[i] = IDLE
  :: true -> endRun(); at[i] = IDLE                   /* abort, a limit, or a call that can no longer be made (I7) */
#ifndef LIVENESS
  :: true -> endRun(); at[i] = IDLE                   /* the grant was not used in time (A5) */
#endif
  fi
}

/* ---- An owner: resume(), then the loop. -------------------------------------------------------------------------- */

proctype Owner(byte me) {
  do
  /* The run is read. Nothing is taken yet. */
  :: atomic { at[me] == IDLE && IS_RESUMABLE -> seen[me] = STANDING; at[me] = SAW }

  /* The transaction that takes it, if it is still what was read. */
  :: atomic { at[me] == SAW ->
       if
       :: !IS_FREE || !AS_SEEN(me) -> at[me] = IDLE   /* RunLeasedError, RunStateError: nothing was changed (L6) */
       :: else ->
          if
          :: SAW_GRANT(me) -> resumeApproved(me)
          :: !SAW_GRANT(me) && (status == PENDING || status == WAITING) -> take(me); at[me] = LOOP
          :: !SAW_GRANT(me) && status == RUNNING && owner == NOBODY ->  /* after a clean stop (L11) */
             take(me);
             at[me] = (stepStatus == OPEN -> SETTLING : LOOP)
          :: !SAW_GRANT(me) && status == RUNNING && owner != NOBODY ->  /* the takeover (L7) */
             take(me);
             mark(me)
#ifdef FAULT_NO_COMPARE
          :: !SAW_GRANT(me) && status == ENDED -> at[me] = IDLE
#endif
          fi
       fi;
       seen[me] = 0
     }

  /* The top of the loop: a clean stop gives the lease back; nobody waits for an expiry after it (L11). */
  :: atomic { (at[me] == LOOP || at[me] == SETTLING) && !calm ->
       if
       :: HOLDS(me) -> recordedBy(me); release()
       :: else
       fi;
       leave(me)
     }

  /* Commit 1: a step begins, unless a limit forbids it (P5): the agent is asked anew. */
  :: atomic { at[me] == LOOP ->
       if
       :: (step < STEPS -> MAY_START(me) : HOLDS(me)) ->
          recordedBy(me);
          assert(stepStatus == CLOSED && told);       /* law: an interrupted call is never forgotten (I2, I4) */
          if
          :: step < STEPS ->
             assert(left > 0);                        /* law: a loop that stalled past its expiry starts nothing (L4) */
             step++; stepStatus = DECIDING;
             attempt = 0; readOnly = false; approval = 0; approvalStatus = NONE; aboutOutcome = false;
             calls = 0; reruns = 0; asks = 0;
             at[me] = ASKING
          :: step == STEPS -> endRun(); leave(me)
          fi
       :: else -> leave(me)                           /* LeaseLostError (L5) */
       fi
     }

  /* Commit 2: what the agent answered. */
  :: atomic { at[me] == ASKING ->
       if
       :: HOLDS(me) ->
          recordedBy(me);
          assert(stepStatus == DECIDING);             /* law: while it is held, nobody else moves its step (L4) */
          if
          :: true -> at[me] = JUDGING                 /* a call */
          :: true -> closeStep(); at[me] = LOOP       /* no valid decision (P3) */
          :: true -> endRun(); leave(me)              /* complete, or fail */
          fi
       :: else -> leave(me)
       fi
     }

  /* Commit 3: what the policy says of it. */
  :: atomic { at[me] == JUDGING ->
       if
       :: MAY_START(me) ->                            /* 3a: allow */
          if
          :: readOnly = true
          :: readOnly = false
          fi;
          startTool(me)
       :: HOLDS(me) ->                                /* 3b: a person is asked first */
          recordedBy(me); askPerson(false); leave(me)
       :: HOLDS(me) -> recordedBy(me); closeStep(); at[me] = LOOP /* deny */
       :: HOLDS(me) -> recordedBy(me); endRun(); leave(me) /* abort */
       :: !MAY_START(me) -> leave(me)                 /* LeaseLostError: it is gone, or has lapsed */
       fi
     }

  /*
   * The call. The commit is behind us, and time may have passed since: this is its own statement. The check and the
   * call are one, because they are one tick of one thread.
   */
  :: atomic { at[me] == STARTED ->
       if
       :: IS_LIVE(me) ->
          calls++;
          assert(calls <= 1 + reruns);                /* law: a call is the first, or approved (I2, I6) */
          /* An operator may have cancelled the run meanwhile (L9); nobody else may have moved it. */
          assert(MAY_CALL(me));                       /* law: nothing is called under a lease that is gone (L4, L5) */
          at[me] = CALLING
       :: !IS_LIVE(me) -> leave(me)
       fi
     }

  /* Commit 4: what came of it. Needs the lease, expired or not (L4); a dead owner's late result has none (L8). */
  :: atomic { at[me] == CALLING ->
       if
       :: MAY_RECORD(me) ->
          recordedBy(me);
          assert(stepStatus == EXECUTING);            /* law: while it is held, nobody else moves its step (L4) */
#ifdef FAULT_LATE_SPEND
          approvalStatus = (approvalStatus == APPROVED -> SPENT : approvalStatus);
#endif
          if
          :: true -> answerStep(); at[me] = LOOP /* a result, or a known failure */
          :: true -> endRun(); leave(me)              /* of a terminal tool */
          :: !readOnly -> stepStatus = OPEN; at[me] = SETTLING /* a living process does not know (I9) */
          fi
       :: !MAY_RECORD(me) -> leave(me)
       fi
     }

  /* The heartbeat found the lease gone or lapsed: the loop waits for nobody's code (L5). A call itself runs on. */
  :: atomic { IS_OUTSIDE(me) && (!HOLDS(me) || deadline[me] == 0) -> leave(me) }

  /* An open step: what its reconciliation answered, or did not (I4, I5). */
  :: atomic { at[me] == SETTLING ->
       if
       :: HOLDS(me) ->
          recordedBy(me);
          assert(stepStatus == OPEN);                 /* law: while it is held, nobody else moves its step (L4) */
          if
          :: true -> answerStep(); at[me] = LOOP /* continue, complete */
          :: true -> endRun(); leave(me)              /* conflict, or complete of a terminal tool */
          :: true -> askPerson(true); leave(me)       /* wait, or no answer */
          fi
       :: else -> leave(me)
       fi
     }

  :: atomic { status == ENDED && (at[me] == IDLE || at[me] == GONE) -> break }
  od
}

/* ---- The heartbeats: each beats whatever its loop is doing (L3), or fails to. ------------------------------------ */

#ifdef FAULT_UNDROPPED
#define IS_KEPT(i) (at[i] != GONE)                    /* the session has ended, and the heartbeat goes on */
#else
#define IS_KEPT(i) IS_HELD(i)
#endif

#ifdef FAULT_STALE_RENEWAL
byte age[N + 1];                                      /* 1 + how long ago a renewal read the clock; 0: none under way */
#define FLOOR (-TTL)                                  /* then it matters how long ago a lease lapsed */
#else
#define FLOOR 0
#endif

active proctype Heartbeats() {
  byte i;
  do
  :: atomic { status != ENDED -> select(i : 1 .. N);
       if
#ifdef FAULT_STALE_RENEWAL
       /*
        * The clock is read, and the statement runs later, on a lease that may be another by then: that is judged by a
        * time that has passed, and may even be shortened.
        */
       :: IS_KEPT(i) && HOLDS(i) && age[i] == 0 -> age[i] = 1
       :: IS_KEPT(i) && age[i] > 0 ->
          if
          :: HOLDS(i) && left + age[i] - 1 > 0 ->
#ifndef TOLERATE_REVIVAL
             assert(left > 0);                        /* law: a renewal never revives a lease that has lapsed (L3) */
#endif
             left = TTL - (age[i] - 1)
          :: else
          fi;
          age[i] = 0
#else
       /* The statement: it renews only what is still its own and has not lapsed. */
#ifdef FAULT_REVIVAL
       :: IS_KEPT(i) && HOLDS(i) && left < TTL ->
#else
       :: IS_KEPT(i) && HOLDS(i) && left > 0 && left < TTL ->
#endif
          assert(left > 0);                           /* law: a renewal never revives a lease that has lapsed (L3) */
          left = TTL
#endif
       /* Only then does the loop learn of it, through the shared memory. */
       :: IS_KEPT(i) && owner == i && left > deadline[i] -> deadline[i] = left
       :: else
       fi;
       i = 0
     }
  :: atomic { status == ENDED -> break }
  od
}

/* ---- The clock advances at will. --------------------------------------------------------------------------------- */

inline tick() {
  left = (left > FLOOR && owner != NOBODY -> left - 1 : left);
  for (i : 1 .. N) {
    deadline[i] = (deadline[i] > 0 -> deadline[i] - 1 : 0);
#ifdef FAULT_STALE_RENEWAL
    age[i] = (IS_KEPT(i) -> (age[i] > 0 && age[i] <= TTL -> age[i] + 1 : age[i]) : 0)
#endif
  }
  i = 0
}

#define LAPSES(i) (IS_HELD(i) && deadline[i] == 1)
#if N == 2
#define SOME_LAPSES (LAPSES(1) || LAPSES(2))
#define SOME_DEADLINE (deadline[1] > 0 || deadline[2] > 0)
#define SOME_OTHER_LIVES(i) (at[3 - i] != GONE)
#else
#define SOME_LAPSES (LAPSES(1) || LAPSES(2) || LAPSES(3))
#define SOME_DEADLINE (deadline[1] > 0 || deadline[2] > 0 || deadline[3] > 0)
#define SOME_OTHER_LIVES(i) ((i != 1 && at[1] != GONE) || (i != 2 && at[2] != GONE) || (i != 3 && at[3] != GONE))
#endif

active proctype Clock() {
  byte i;
  do
  :: atomic { (left > FLOOR && owner != NOBODY) || SOME_DEADLINE ->
       if
       :: !SOME_LAPSES -> tick()
       :: SOME_LAPSES && !calm -> tick()             /* a living owner was too slow */
#ifdef LIVENESS
       :: SOME_LAPSES && calm                         /* from here on it is not: the clock waits for it */
#endif
       fi
     }
  :: atomic { status == ENDED -> break }
  od
}

/* ---- A person answers at any time, or never. --------------------------------------------------------------------- */

active proctype Person() {
  byte shown;                                         /* which request they were shown (A2) */
  do
  :: atomic { shown == 0 && IS_ASKED -> shown = 16 * step + approval }
  :: atomic { shown != 0 ->
       if
       :: IS_ASKED && shown == 16 * step + approval ->
          if
          :: !aboutOutcome -> approvalStatus = APPROVED
          :: aboutOutcome && reruns < RERUNS -> reruns++; approvalStatus = APPROVED /* run it once more (I6) */
          :: aboutOutcome -> approvalStatus = SETTLED; answerStep() /* it took effect (I6) */
          :: aboutOutcome -> endRun()                 /* the same, of a terminal tool */
          :: true -> endRun()                         /* reject (A5) */
#ifndef LIVENESS
          :: true -> endRun()                         /* too late: it has expired (A5) */
#endif
          fi
       :: else                                        /* NotPendingError, ApprovalChangedError: nothing decided */
       fi;
       shown = 0
     }
  :: atomic { status == ENDED -> break }
  od
}

/* ---- Fate: processes die anywhere, and an operator cancels at any time. ------------------------------------------ */

active proctype Fate() {
  byte i;
  do
  :: atomic { status != ENDED && !calm -> select(i : 1 .. N);
       if
       :: at[i] > IDLE || (at[i] == IDLE && SOME_OTHER_LIVES(i)) ->
          owner = (owner == i -> DEAD : owner);       /* what it left behind is nobody's now */
          seen[i] = 0;
          deadline[i] = 0;
#ifdef FAULT_STALE_RENEWAL
          age[i] = 0;
#endif
          if
          :: at[i] > IDLE -> at[i] = IDLE             /* restarted, as another owner (L2) */
          :: SOME_OTHER_LIVES(i) -> at[i] = GONE      /* never restarted; one of them lives on */
          fi
       :: else
       fi;
       i = 0
     }
#ifdef LIVENESS
  /* From here on nothing happens to the owners that are left. */
  :: atomic { status != ENDED && !calm -> calm = true }
#else
  /* Needs no lease. A live loop stops at its next write (L9). */
  :: atomic { status != ENDED -> cancelledUnder = owner; endRun() }
#endif
  :: atomic { status == ENDED -> break }
  od
}

init {
  byte i;
  atomic {
    for (i : 1 .. N) { at[i] = IDLE; run Owner(i) }
  }
}

#ifdef LIVENESS
/* Whatever a run was left in: once its owners are left alone, and the person answers, it ends. */
ltl ends { [] (calm -> <> (status == ENDED)) }        /* law: there is no run that nobody can move (L7, I8, A6) */
#endif
