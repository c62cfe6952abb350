/**
 * The renewal: one statement for all the runs of a runtime (contract L3).
 *
 * It renews only what is still this owner's and has not lapsed: a lease that ran out is lost, even if nobody took it.
 * Parameters: the new expiry, the owner, the time now, the ids of the runs as a JSON array.
 */
export const RENEW_SQL = `UPDATE holdpoint_runs SET lease_expires_at = ?
  WHERE lease_owner = ? AND status = 'RUNNING' AND lease_expires_at > ?
    AND id IN (SELECT value FROM json_each(?))
  RETURNING id`;

/** Beats in one lease length. */
export const BEATS_PER_TTL = 3;
