create schema if not exists peer;

create table peer.users (
  id text primary key,
  name text,
  email text,
  tz text not null default 'UTC',
  total double precision not null default 0,
  points integer not null default 0,
  streak integer not null default 0,
  streak_day date
);
create index users_points on peer.users (points desc);

create table peer.events (
  id bigint generated always as identity primary key,
  user_id text not null,
  value double precision not null,
  idempotency_key text,
  recorded timestamptz not null,
  unique (user_id, idempotency_key)
);

create table peer.awards (
  event_id bigint not null,
  user_id text not null,
  awarded integer not null,
  recorded timestamptz not null
);
create index awards_user on peer.awards (user_id, recorded);

create table peer.completions (
  user_id text not null,
  achievement text not null,
  recorded timestamptz not null,
  primary key (user_id, achievement)
);

create table peer.weekly_scores (
  week date not null,
  user_id text not null,
  score double precision not null,
  primary key (week, user_id)
);
create index weekly_scores_rank on peer.weekly_scores (week, score desc);

-- Records an event and evaluates everything that depends on it, in the transaction of the call.
create function peer.record_event(
  p_user text, p_name text, p_email text, p_tz text, p_value double precision, p_key text, p_now timestamptz
) returns jsonb language plpgsql as $$
declare
  v_event bigint;
  v_user peer.users;
  v_day date := (p_now at time zone coalesce(p_tz, 'UTC'))::date;
  v_week date := date_trunc('week', v_day)::date;
  v_extended boolean;
  v_added integer := 10;
  v_score double precision;
  v_completed jsonb;
begin
  insert into peer.events (user_id, value, idempotency_key, recorded) values (p_user, p_value, p_key, p_now)
  on conflict (user_id, idempotency_key) do nothing returning id into v_event;
  if v_event is null then
    select * into v_user from peer.users where id = p_user;
    return jsonb_build_object('total', v_user.total, 'replayed', true);
  end if;

  -- Locks the user until the end of the transaction, so events of one user follow each other.
  insert into peer.users as u (id, name, email, tz) values (p_user, p_name, p_email, coalesce(p_tz, 'UTC'))
  on conflict (id) do update set name = coalesce(p_name, u.name), email = coalesce(p_email, u.email), tz = coalesce(p_tz, u.tz)
  returning * into v_user;

  v_extended := v_user.streak_day is distinct from v_day;
  if v_extended then
    v_user.streak := case when v_user.streak_day = v_day - 1 then v_user.streak + 1 else 1 end;
    if v_user.streak % 7 = 0 then v_added := v_added + 50; end if;
  end if;
  update peer.users set total = total + p_value, points = points + v_added, streak = v_user.streak, streak_day = v_day
  where id = p_user returning * into v_user;

  with due as (
    select key from (values ('first', 1), ('ten', 10), ('hundred', 100), ('thousand', 1000)) as achievement(key, needed)
    where v_user.total >= needed
    union all select 'week' where v_user.streak >= 7
    union all select 'both' where v_user.streak >= 7 and v_user.total >= 10
  ), completed as (
    insert into peer.completions (user_id, achievement, recorded)
    select p_user, key, p_now from due
    where not exists (select from peer.completions where user_id = p_user and achievement = key)
    returning achievement
  )
  select coalesce(jsonb_agg(achievement), '[]') into v_completed from completed;

  insert into peer.awards (event_id, user_id, awarded, recorded) values (v_event, p_user, v_added, p_now);
  insert into peer.weekly_scores as w (week, user_id, score) values (v_week, p_user, p_value)
  on conflict (week, user_id) do update set score = w.score + p_value returning score into v_score;

  return jsonb_build_object(
    'total', v_user.total,
    'achievements', v_completed,
    'streak', jsonb_build_object('length', v_user.streak, 'extended', v_extended),
    'points', jsonb_build_object('total', v_user.points, 'added', v_added, 'level',
      case when v_user.points >= 1000 then 'gold' when v_user.points >= 200 then 'silver' when v_user.points >= 50 then 'bronze' end),
    'leaderboards', jsonb_build_object(
      'weekly', 1 + (select count(*) from peer.weekly_scores where week = v_week and score > v_score),
      'all-time', 1 + (select count(*) from peer.users where points > v_user.points)));
end $$;
