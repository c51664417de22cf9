// Which hosts have metrics under their own name. The list outlives a worker and is the same for all workers, so that the number
// of series stays bounded however many workers come and go. All other hosts are counted together, as `other`.

/** Hosts that have a label of their own. */
export const MOST_LABELLED_HOSTS = 100;
/** A host that was not in the queue for so long makes room for another. */
export const LABEL_KEPT_MS = 30 * 86_400_000;

export interface LabelledHosts {
  /** Puts the host on the list if there is room, and notes that it was seen now. Gives the whole list. */
  claim(host: string): Promise<readonly string[]>;
  list(): Promise<readonly string[]>;
}
