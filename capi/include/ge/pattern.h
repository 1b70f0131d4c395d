/* Patterns, matches and rewriting: what fusion passes are made of.
 *
 * A pattern is a graph. Its Data nodes stand for any tensor (attribute index numbers them), its other nodes for nodes
 * of the same type, its outputs for what a match hands out. Everything that was made from a graph is used by that
 * graph's thread. Nodes in results are borrowed from their graphs. */
#ifndef GE_PATTERN_H_
#define GE_PATTERN_H_

#include <stddef.h>

#include "ge/graph.h"
#include "ge/pass.h"
#include "ge/status.h"

typedef struct GePattern GePattern;
typedef struct GeMatcher GeMatcher;
typedef struct GeMatch GeMatch;
typedef struct GeBoundary GeBoundary;

/** A port of a node: of an input where a tensor is read, of an output where it is made. */
typedef struct GeNodeIo {
  GeNode *node;
  int64_t index;
} GeNodeIo;

GE_EXTERN_C_BEGIN

/* ---- patterns ---- */

/** A pattern over `graph`, which it shares.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: graph's. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GePatternCreate(GeGraph *graph, GePattern **out);
/** Matchers and matches keep what they need. Owner: consumes. Nulls: fine. Threads: graph's. Errors: none. Since:
 *  ABI 1. */
GE_API void GePatternDestroy(GePattern *pattern);
/** Another reference to the pattern's graph. Owner: caller destroys *out. Nulls: none allowed. Threads: graph's.
 *  Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GePatternRetainGraph(const GePattern *pattern, GeGraph **out);
/** Remembers a tensor of the pattern, so that a match can be asked for it by number: 0 for the first. One that is
 * refused takes its number as well, and is not found under it. Owner: n/a. Nulls: none allowed. Threads: graph's.
 * Errors: GE_PARAM_INVALID (no node of the pattern, no such output). Since: ABI 1. */
GE_API GeStatus GePatternCapture(GePattern *pattern, GeNode *node, int64_t index);
/** Number of tensors that were captured.
 *  Owner: n/a. Nulls: null gives 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GePatternCapturedCount(const GePattern *pattern);
/** The tensor that was captured as number `index`.
 *  Owner: the node is the pattern's graph's. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (index),
 *  GE_NOT_FOUND (it was refused). Since: ABI 1. */
GE_API GeStatus GePatternGetCaptured(const GePattern *pattern, size_t index, GeNodeIo *out);

/* ---- what else a pattern may say of its nodes ----
 *
 * Each is off until it is asked for. Nodes are those of the pattern's graph. What is said before a matcher is made, or
 * a rewrite begins, counts for it. */

/** Inputs 0 and 1 of the node match in either order.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no operator,
 *  fewer than two inputs). Since: ABI 1. */
GE_API GeStatus GePatternSetCommutative(GePattern *pattern, GeNode *node);
/** The node matches these types besides its own.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no operator),
 *  GE_NOT_FOUND (a type that nobody registered; near names). Since: ABI 1. */
GE_API GeStatus GePatternAddTypes(GePattern *pattern, GeNode *node, const char *const *types, size_t count);
/** The node may be missing: who reads an output of it in the pattern then reads what input `input` reads. A match
 * without it does not map it. Outputs of the pattern cannot be optional. Owner: n/a. Nulls: none allowed. Threads:
 * graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no such connected input). Since: ABI 1. */
GE_API GeStatus GePatternSetOptional(GePattern *pattern, GeNode *node, int64_t input);
/** Allows a node whose type has dynamic ports. It matches nodes with the same inputs connected, or, with `more` other
 *  than 0, those with more inputs, too; these are the last inputs of the match's boundary.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no operator).
 *  Since: ABI 1. */
GE_API GeStatus GePatternSetDynamic(GePattern *pattern, GeNode *node, int32_t more);
/** Output `index` of `other` may stand wherever the pattern reads `node`, with all that `other` reads. `other` is tried
 *  after what was added before it. To be replaced, every way to match has to read all inputs of the pattern.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no nodes of the pattern, no such
 * output, one and the same, no operator). Since: ABI 1. */
GE_API GeStatus GePatternAddAlternative(GePattern *pattern, GeNode *node, GeNode *other, int64_t index);
/** Output `index` has one of these data types. For a Data node: the tensor that it stands for.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no such output,
 *  no type given). Since: ABI 1. */
GE_API GeStatus GePatternRequireDtypes(GePattern *pattern, GeNode *node, int64_t index, const int32_t *dtypes,
                                       size_t count);
/** Output `index` has this rank and these extents; -1 allows any. Rank 0: dims may be null.
 *  Owner: n/a. Nulls: dims for rank 0. Threads: graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no such
 *  output). Since: ABI 1. */
GE_API GeStatus GePatternRequireShape(GePattern *pattern, GeNode *node, int64_t index, const int64_t *dims,
                                      size_t rank);
/** The node has this attribute with this value, or its prototype says so.
 *  Owner: copies. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no node of the pattern, no name, a
 *  value of an unknown type). Since: ABI 1. */
GE_API GeStatus GePatternRequireAttr(GePattern *pattern, GeNode *node, const GeAttrData *value);
/** The node is a constant, of whose elements none is farther than tolerance * max(1, |value|) from `value`. The node
 * may be a constant or a Data node of the pattern. Owner: n/a. Nulls: none allowed. Threads: graph's. Errors:
 * GE_PARAM_INVALID (no node of the pattern, a value that is no number, a tolerance below 0). Since: ABI 1. */
GE_API GeStatus GePatternRequireConstant(GePattern *pattern, GeNode *node, double value, double tolerance);

/* ---- matching ---- */

#define GE_MATCH_CONST_VALUES 1u /* constants of the pattern that have a value match equal ones only */
#define GE_MATCH_IR_ATTRS 2u     /* prototype attributes must be equal; types of inner nodes are not compared then */

/** Looks for the pattern in one graph, not in its subgraphs. The graph may be rewritten between two matches.
 *  Owner: caller destroys *out; pattern and target are shared. Nulls: none allowed. Threads: target's.
 *  Errors: GE_PARAM_INVALID (unknown flag). Since: ABI 1. */
GE_API GeStatus GeMatcherCreate(const GePattern *pattern, GeGraph *target, uint32_t flags, GeMatcher **out);
/** The next match; null, and success, when there is none. Every node of the target is tried once, those that appear
 *  meanwhile included.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: target's. Errors: GE_GRAPH_INVALID: the pattern has
 *  subgraphs, control edges, types with dynamic ports that GePatternSetDynamic does not allow, a cycle, or no output.
 * Since: ABI 1. */
GE_API GeStatus GeMatcherNext(GeMatcher *matcher, GeMatch **out);
/** Destroys a matcher; its matches stay.
 *  Owner: consumes. Nulls: fine. Threads: target's. Errors: none. Since: ABI 1. */
GE_API void GeMatcherDestroy(GeMatcher *matcher);

/** A match in which nothing is mapped yet. Owner: caller destroys *out. Nulls: none allowed. Threads: graph's.
 *  Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeMatchCreate(const GePattern *pattern, GeMatch **out);
/** A copy that can be added to by itself.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: target's. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeMatchClone(const GeMatch *match, GeMatch **out);
/** Destroys a match; the nodes stay in their graph.
 *  Owner: consumes. Nulls: fine. Threads: target's. Errors: none. Since: ABI 1. */
GE_API void GeMatchDestroy(GeMatch *match);
/** Maps a tensor of the pattern to one of the target. Owner: n/a. Nulls: none allowed. Threads: target's.
 *  Errors: GE_PARAM_INVALID (port), GE_BAD_STATE (mapped to another one already). Since: ABI 1. */
GE_API GeStatus GeMatchAdd(GeMatch *match, const GeNodeIo *pattern, const GeNodeIo *matched);
/** The node that a node of the pattern stands for. Owner: the target. Nulls: none allowed. Threads: target's.
 *  Errors: GE_NOT_FOUND (not mapped). Since: ABI 1. */
GE_API GeStatus GeMatchGetNode(const GeMatch *match, const GeNode *pattern_node, GeNode **out);
/** All nodes of the match but those behind Data, in the order of the data flow. *count: room on entry, number on
 * return. Owner: the target. Nulls: nodes may be null when *count is 0. Threads: target's. Errors: GE_PARAM_INVALID
 * (too little room; *count says how much). Since: ABI 1. */
GE_API GeStatus GeMatchGetNodes(const GeMatch *match, GeNode **nodes, size_t *count);
/** The target's tensor that a captured tensor of the pattern matched. Owner: the target. Nulls: none allowed. Threads:
 * target's. Errors: GE_NOT_FOUND (fewer were captured, or not mapped). Since: ABI 1. */
GE_API GeStatus GeMatchGetCaptured(const GeMatch *match, size_t index, GeNodeIo *out);
/** Another reference to the graph of the pattern that was matched. Owner: caller destroys *out. Nulls: none allowed.
 * Threads: graph's. Errors: GE_PARAM_INVALID. Since: ABI 1. */
GE_API GeStatus GeMatchRetainPatternGraph(const GeMatch *match, GeGraph **out);
/** Where the match is cut out of its graph: input i are the ports that read what Data i stands for.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: target's. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeMatchCreateBoundary(const GeMatch *match, GeBoundary **out);
/** A line of text for logs. Owner: n/a. Nulls: none allowed. Threads: target's. Errors: GE_PARAM_INVALID. Since: ABI 1.
 */
GE_API GeStatus GeMatchDescribe(const GeMatch *match, GeTextFn write, void *user);

/* ---- boundaries ---- */

/** Encloses nothing yet. Owner: caller destroys *out. Nulls: none allowed. Threads: any. Errors: GE_OUT_OF_MEMORY.
 *  Since: ABI 1. */
GE_API GeStatus GeBoundaryCreate(GeBoundary **out);
/** Of one node: connected inputs in port order, where ports that read the same tensor share one; every output.
 *  Owner: caller destroys *out. Nulls: none allowed. Threads: graph's. Errors: GE_OUT_OF_MEMORY. Since: ABI 1. */
GE_API GeStatus GeBoundaryCreateOfNode(GeNode *node, GeBoundary **out);
/** Destroys a boundary; the nodes stay in their graph.
 *  Owner: consumes. Nulls: fine. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API void GeBoundaryDestroy(GeBoundary *boundary);
/** A port inside that reads input `index`; again with the same index: one more port that reads the same tensor.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no such port, not connected, another
 *  tensor than the input's other ports read). Since: ABI 1. */
GE_API GeStatus GeBoundaryAddInput(GeBoundary *boundary, int64_t index, GeNode *node, int64_t port);
/** The port inside that makes output `index`.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_PARAM_INVALID (no such port), GE_BAD_STATE (output
 *  `index` is set). Since: ABI 1. */
GE_API GeStatus GeBoundarySetOutput(GeBoundary *boundary, int64_t index, GeNode *node, int64_t port);
/** Number of inputs that were added.
 *  Owner: n/a. Nulls: null gives 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeBoundaryInputCount(const GeBoundary *boundary);
/** Number of outputs that were set.
 *  Owner: n/a. Nulls: null gives 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeBoundaryOutputCount(const GeBoundary *boundary);
/** Ports that read input `index`. *count: room on entry, number on return.
 *  Owner: nodes are the graph's. Nulls: ports may be null when *count is 0. Threads: graph's. Errors: GE_NOT_FOUND,
 *  GE_PARAM_INVALID (too little room). Since: ABI 1. */
GE_API GeStatus GeBoundaryGetInput(const GeBoundary *boundary, int64_t index, GeNodeIo *ports, size_t *count);
/** The port that makes output `index`.
 *  Owner: the node is the graph's. Nulls: none allowed. Threads: graph's. Errors: GE_NOT_FOUND. Since: ABI 1. */
GE_API GeStatus GeBoundaryGetOutput(const GeBoundary *boundary, int64_t index, GeNodeIo *out);
/** The nodes inside: all that the outputs need, up to what the inputs read. *count as above.
 *  Owner: the graph. Nulls: as above. Threads: graph's. Errors: GE_GRAPH_INVALID (not a closed part of one graph),
 *  GE_PARAM_INVALID (too little room). Since: ABI 1. */
GE_API GeStatus GeBoundaryGetNodes(const GeBoundary *boundary, GeNode **nodes, size_t *count);

/* ---- rewriting ---- */

/** Puts a copy of `replacement` in the place of what the boundary encloses. Data with index i reads what input i read,
 *  output i takes the place of output i. New nodes carry the names of what they replace; shapes are not inferred. With
 * a context the rewrite is also checked (GeNodesCanFuse) and counted for its pass. Owner: replacement stays the
 * caller's. Nulls: context may be null: neither checked for cycles nor counted. Threads: graph's. Errors:
 * GE_GRAPH_INVALID (numbers of inputs or outputs, not closed, a cycle, nodes that may not become one); the graph is
 * then as before. Since: ABI 1. */
GE_API GeStatus GeBoundaryReplace(const GeBoundary *boundary, const GeGraph *replacement, GePassContext *context);
/** Gives the replacement's inputs the descriptions of what the boundary's inputs read, and infers it; constants are
 *  passed on by value.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_GRAPH_INVALID (an input without index, or without its
 *  like in the boundary), GE_INFER_FAILED. Since: ABI 1. */
GE_API GeStatus GeBoundaryInfer(const GeBoundary *boundary, GeGraph *replacement);
/** Checks that these nodes may become one: they are of one graph, with no cycle, no attributes that only equals share.
 *  Owner: n/a. Nulls: none allowed. Threads: graph's. Errors: GE_GRAPH_INVALID says why not. Since: ABI 1. */
GE_API GeStatus GeNodesCanFuse(GeNode *const *nodes, size_t count);
/** Records a rewrite that was done by hand, before the old nodes go: the new ones carry the old names, and the
 * context's pass counts it. after_count 0: nodes were deleted. Owner: n/a. Nulls: after may be null when after_count is
 * 0; context see GePassContext. Threads: graph's. Errors: GE_GRAPH_INVALID (none before, several graphs), GE_BAD_STATE
 * (no pass runs). Since: ABI 1. */
GE_API GeStatus GeNodesReportFuse(GeNode *const *before, size_t before_count, GeNode *const *after, size_t after_count,
                                  GePassContext *context);

/** The answer of a fusion pass to a match. */
typedef struct GeFusionHooks {
  size_t struct_size;
  int32_t (*meets)(void *user, GeMatch *match, GePassContext *context); /* 0: leave it alone; null: take all */
  /** The graph to put there, which the library destroys. GE_NOT_CHANGED without a graph leaves the match alone; no
   * graph otherwise, or an error, fails the pass. */
  GeStatus (*replace)(void *user, GeMatch *match, GePassContext *context, GeGraph **out);
  void *user;
} GeFusionHooks;
/** The answer of a decomposition pass to a node. */
typedef struct GeDecomposeHooks {
  size_t struct_size;
  int32_t (*meets)(void *user, GeNode *node, GePassContext *context);
  GeStatus (*replace)(void *user, GeNode *node, GePassContext *context, GeGraph **out);
  void *user;
} GeDecomposeHooks;

/** Number of nodes that this graph ever got, those that were removed included: what a pass has added is the difference,
 *  and what it has removed follows from GeGraphNodeCount.
 *  Owner: n/a. Nulls: a null graph has 0. Threads: graph's. Errors: none. Since: ABI 1. */
GE_API size_t GeGraphMadeNodeCount(const GeGraph *graph);

/** Replaces the matches of each pattern in turn, in one graph. Matches in whose place one node would lie on a cycle are
 *  left alone; a pattern that GeMatcherNext refuses is passed over with a warning.
 *  Owner: n/a. Nulls: meets, user; context see GePassContext. Threads: graph's. Errors: GE_NOT_CHANGED (nothing was
 *  replaced), GE_FAILED (no replacement), GE_GRAPH_INVALID, what replace returned. Since: ABI 1. */
GE_API GeStatus GeGraphFuse(GeGraph *graph, GePattern *const *patterns, size_t count, uint32_t flags,
                            const GeFusionHooks *hooks, GePassContext *context);
/** How GeGraphRewrite goes about its work. */
typedef struct GeRewriteOptions {
  size_t struct_size;
  uint32_t match_flags; /* GE_MATCH_… */
  int32_t dry_run;      /* not 0: matches are counted and reported, nothing is replaced */
  int64_t max_rewrites; /* more than these fail; 0: 1000000 */
} GeRewriteOptions;
/** The counts of a GeGraphRewrite. The caller sets struct_size. */
typedef struct GeRewriteCounts {
  size_t struct_size;
  int64_t tried;    /* matches */
  int64_t applied;  /* of them replaced */
  int64_t declined; /* of them left alone: `meets` said no, or a cycle would arise */
} GeRewriteCounts;
/** Replaces the matches of each pattern by its replacement, as GeGraphFuse does, with graphs that are given once. A
 * match of a pattern without one is left to hooks->replace. Owner: replacements stay the caller's. Nulls: replacements,
 * or entries, where hooks->replace or a dry run serves; options: as if all were 0; hooks; counts; context see
 * GePassContext. Threads: graph's. Errors: GE_GRAPH_INVALID, GE_FAILED (no replacement, more rewrites than allowed: the
 * message names the pattern), what hooks->replace returned, GE_ABI_MISMATCH (struct_size); the graph is then as before.
 * Success also when nothing was replaced. Since: ABI 1. */
GE_API GeStatus GeGraphRewrite(GeGraph *graph, GePattern *const *patterns, const GeGraph *const *replacements,
                               size_t count, const GeRewriteOptions *options, const GeFusionHooks *hooks,
                               GePassContext *context, GeRewriteCounts *counts);
/** Replaces each node of these types that the graph has when the call begins.
 *  Owner: n/a. Nulls: as GeGraphFuse. Threads: graph's. Errors: as GeGraphFuse. Since: ABI 1. */
GE_API GeStatus GeGraphDecompose(GeGraph *graph, const char *const *types, size_t count, const GeDecomposeHooks *hooks,
                                 GePassContext *context);

GE_EXTERN_C_END
#endif
