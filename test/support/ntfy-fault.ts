/** What the test server is told to do instead of answering as ntfy does. */
export type PublishFault =
  /** `delivered`: subscribers and the cache got the message all the same, as with a real 500/50001. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string; readonly delivered?: boolean }
  /** Takes the request and never answers. */
  | { readonly kind: "hang" }
  /** Sends the head of a 200 and half of its body, and falls silent. */
  | { readonly kind: "half-answer" }
  | { readonly kind: "reset" }
  /** A proxy's page with status 200; nothing reached ntfy. */
  | { readonly kind: "html" }
  | { readonly kind: "altered" }
  | { readonly kind: "attachment" }
  /** An attachment beside the message as it was sent. */
  | { readonly kind: "attachment-beside" }
  | { readonly kind: "redirect"; readonly to: string };

export type SubscribeFault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: string }
  | { readonly kind: "hang" }
  | { readonly kind: "reset" }
  | { readonly kind: "html" }
  | { readonly kind: "redirect"; readonly to: string }
  /** Opens as usual, and nothing follows: no message, no keepalive. */
  | { readonly kind: "silence" }
  /** Opens as usual, without what is cached: a message that was sent just before, and cached just after. */
  | { readonly kind: "overlook" }
  /** Every message comes twice. */
  | { readonly kind: "duplicate" }
  /** What is cached comes newest first. */
  | { readonly kind: "reorder" }
  /** Cuts the last cached message in half and resets the connection. */
  | { readonly kind: "truncate" }
  /** Ends the stream after what is cached. */
  | { readonly kind: "end" }
  /** These lines as they are before what is cached: unknown events, over-long lines, anything. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };
