// The graph: nodes in creation order with stable addresses, edges in both directions, subgraphs owned by the root.
//
// All changes go through Graph, which keeps both directions of every edge consistent and can undo them (Transaction).
// One thread at a time per root graph, which knows the thread that is inside it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/attr.h"
#include "core/ir/ir_def.h"
#include "core/ir/name_index.h"
#include "core/ir/tensor.h"
#include "core/support/inline_vec.h"
#include "core/support/pool.h"
#include "core/support/shared_text.h"
#include "core/support/symbol.h"
#include "core/support/thread_owner.h"
#include "ge/status.h"

namespace gec {

class Graph;
class Node;
class TypeIndex;
using GraphPtr = std::shared_ptr<Graph>;

/// One output port of a node.
struct Endpoint {
  Node *node = nullptr;
  int32_t port = -1;
  explicit operator bool() const { return node != nullptr; }
  friend bool operator==(Endpoint a, Endpoint b) { return a.node == b.node && a.port == b.port; }
  friend bool operator!=(Endpoint a, Endpoint b) { return !(a == b); }
};
/// One input port of a node.
struct Use {
  Node *node = nullptr;
  int32_t port = -1;
  friend bool operator==(Use a, Use b) { return a.node == b.node && a.port == b.port; }
  friend bool operator!=(Use a, Use b) { return !(a == b); }
};

struct SubgraphRef {
  Symbol ir_name;          // "then_branch"; for dynamic ones "branches0", …
  std::string graph_name;  // in the root
};

/// A rewrite mostly puts one node in the place of two.
using Origins = InlineVec<SharedText, 2>;
using PassNames = InlineVec<Symbol, 2>;

/// The attribute by which a program chooses the engine of a node.
Symbol EngineAttr();
/// GE's attribute for the same.
Symbol GeEngineAttr();
/// The attribute that names the engine for which a node stays as it is (core/placement/reserved_nodes.h).
Symbol ReservedAttr();

class Node {
 public:
  uint32_t id() const { return id_; }  // dense in its graph, in the order of coming in; never reused there
  /// A node that changes its graph stays in one root graph: a thread that reads this to enter may be outside.
  Graph &graph() const { return *graph_.load(std::memory_order_acquire); }
  /// The graph that made the node and whose memory it lies in. Handles hold that one (Graph::HoldNodes).
  Graph &home() const { return *home_; }
  Symbol type() const { return ir_->type; }
  /// No rewrite may make the node part of another one: the program said which engine runs it (attribute "_engine" or
  /// "_specified_engine_name"), or an engine would run it that knows nothing of fused operators ("_reserved_for").
  bool pinned() const { return !attrs_.empty() && HasEngineChoice(); }
  /// The type for rewrites, which know what the library's operator of a type computes; empty where a kernel of the
  /// program's own computes the node, and where the node is pinned.
  Symbol known_type() const { return ir_->own_kernel || pinned() ? Symbol() : ir_->type; }
  const std::string &name() const { return name_; }
  const IrDef &ir() const { return *ir_; }
  bool removed() const { return removed_; }
  /// A walk comes here soon: fetches what says type, number and whether the node is there.
  [[gnu::always_inline]] void Fetch() const noexcept { __builtin_prefetch(&ir_); }
  /// The same, with what it reads. The start of a node has all of that.
  [[gnu::always_inline]] void FetchInputs() const noexcept {
    __builtin_prefetch(&id_);
    __builtin_prefetch(&inputs_);
    __builtin_prefetch(reinterpret_cast<const char *>(&outputs_) - 1);
  }

  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  Endpoint input(size_t i) const { return inputs_[i]; }  // empty when not connected
  const InlineVec<Use, 2> &uses(size_t out) const {
    if (outputs_[out].holes) CloseHoles(out);
    return outputs_[out].uses;
  }
  size_t use_count(size_t out) const { return outputs_[out].uses.size() - outputs_[out].holes; }
  size_t total_uses() const;
  /// One of the graph's outputs reads the node: an input of NetOutput, or an entry of the list without one.
  bool IsGraphOutput() const;
  const std::vector<Node *> &control_inputs() const { return rare().control_in; }
  const std::vector<Node *> &control_outputs() const { return rare().control_out; }

  const TensorDesc &output_desc(size_t i) const { return outputs_[i].desc; }
  /// The desc set on the input port, else its producer's output desc, else an undefined one.
  const TensorDesc &input_desc(size_t i) const;

  /// Ports of IR input `ir`: first port and count (1, or the instances of a dynamic input).
  std::pair<int32_t, int32_t> InputRange(size_t ir) const;
  std::pair<int32_t, int32_t> OutputRange(size_t ir) const;
  const InlineVec<int32_t, 2> &dynamic_input_counts() const { return rare().dyn_in; }
  const InlineVec<int32_t, 2> &dynamic_output_counts() const { return rare().dyn_out; }

  const AttrMap &attrs() const { return attrs_; }
  /// The value set, else the IR default, else null.
  const AttrValue *attr(Symbol name) const;
  int64_t Int(Symbol name, int64_t fallback = 0) const;  // all readers honour IR defaults
  float Float(Symbol name, float fallback = 0) const;
  bool Bool(Symbol name, bool fallback = false) const { return Int(name, fallback ? 1 : 0) != 0; }
  std::string String(Symbol name, std::string_view fallback = "") const;
  std::vector<int64_t> Ints(Symbol name) const;

  const std::vector<SubgraphRef> &subgraphs() const { return rare().subgraphs; }
  /// The attached subgraph, or null.
  Graph *subgraph(size_t i) const;

  /// Original nodes this one stands for (itself when none were recorded), and the passes that made or changed it.
  const Origins &origins() const { return origins_; }
  const PassNames &passes() const { return passes_; }
  std::string OriginText() const;  // origins joined with ",", or the name
  /// "Conv2D 'conv1'", for messages.
  std::string Label() const;

  /// The desc set on the input port itself, or null.
  const TensorDesc *explicit_input_desc(size_t i) const {
    const InputDescs &descs = rare().input_descs;
    return i < descs.size() ? descs[i].get() : nullptr;
  }
  /// Tells a live node from freed or foreign memory, as far as that can be told.
  bool valid() const { return magic_ == kMagic; }

  Node() noexcept {}  // not defaulted: Node() would first fill all of it with zeros
  ~Node() { magic_ = 0; }
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

 private:
  bool HasEngineChoice() const;
  friend class Graph;
  friend class Transaction;
  static constexpr uint32_t kMagic = 0x4e4f4465;
  // Passes walk over many nodes and read little of each: what they read of nearly every node lies together, at the
  // start.
  /// An edge's end, and where it mostly is among the uses of its tensor.
  struct Input : Endpoint {
    Input() noexcept {}
    Input(Endpoint e) : Endpoint(e) {}
    Input &operator=(Endpoint e) {
      Endpoint::operator=(e);
      return *this;
    }
    uint32_t at = 0;
  };
  /// Within a transaction what leaves a long list of uses leaves a hole: closing it would move all that follow.
  struct Output {
    explicit Output(const TensorDesc &d) : desc(d) {}
    InlineVec<Use, 2> uses;
    TensorDesc desc;
    uint32_t holes = 0;
  };
  using InputDescs = InlineVec<std::unique_ptr<TensorDesc>, 1>;
  /// Parts that few nodes have, apart, so that the others are smaller: walks and new nodes cost what they touch.
  struct Rare {
    std::vector<Node *> control_in, control_out;
    bool described = false;  // an input was ever; also where all inputs are gone for now
    InputDescs input_descs;  // one for each input then, only those set explicitly
    InlineVec<int32_t, 2> dyn_in, dyn_out;
    std::vector<SubgraphRef> subgraphs;
  };
  static const Rare kNothingRare;
  const Rare &rare() const { return rare_ ? *rare_ : kNothingRare; }
  Rare &MakeRare() {
    if (!rare_) rare_ = std::make_unique<Rare>();
    return *rare_;
  }
  void CloseHoles(size_t out) const;
  void OpenHoles(size_t out, const std::vector<uint32_t> &at) noexcept;
  void Close(size_t out) noexcept;
  volatile uint32_t magic_ = kMagic;  // volatile: the destructor's store must happen
  uint32_t id_ = 0;
  bool removed_ = true;     // until the graph has taken it in
  uint32_t listed_ = 0;     // entries of the graph's list of outputs that name it
  uint32_t name_hash_ = 0;  // of the name, for NameIndex
  std::atomic<Graph *> graph_{nullptr};
  Graph *home_ = nullptr;
  const IrDef *ir_ = nullptr;
  std::unique_ptr<Rare> rare_;
  InlineVec<Input, 3> inputs_;
  InlineVec<Output, 1> outputs_;
  AttrMap attrs_;
  std::string name_;
  Origins origins_;
  PassNames passes_;
};

/// An input port, and the tensor that it shall read.
struct Rewiring {
  Use use;
  Endpoint to;
};

/// Nodes that change their graph. A target is named once.
struct Moving {
  const std::vector<Node *> *nodes;
  Graph *target;
};

struct UndoLog;  // undo_log.h

/// Everything a new node starts with.
struct NodeParts {
  const int32_t *dyn_in = nullptr;  // instances per dynamic IR input, in their order
  size_t dyn_in_size = 0;
  const int32_t *dyn_out = nullptr;
  size_t dyn_out_size = 0;
  const Endpoint *inputs = nullptr;  // one per input port, or null: none is connected
  AttrMap attrs;
  const TensorDesc *output_descs = nullptr;  // one per output port, or null: nothing is known
  Origins origins;
  PassNames passes;
  uint32_t name_hash = 0;  // of the node's name, where the caller has it (FetchName); 0: worked out
};

class Graph : public std::enable_shared_from_this<Graph> {
 public:
  static GraphPtr Create(std::string name);
  ~Graph();

  /// Handles of nodes may outlive the graph: while any is held, the nodes' memory stays behind it, empty, so that they
  /// can be refused. So may nodes that moved to another graph. Any thread.
  void HoldNodes() noexcept { held_.fetch_add(1, std::memory_order_relaxed); }
  void DropNodes() noexcept {
    if (held_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Nobody owns the graph any more; what is left of it serves handles of nodes.
  bool gone() const noexcept { return weak_from_this().expired(); }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  /// Which thread is inside the graph: one word for a root graph and its subgraphs. The edge of the library enters
  /// (capi/src/guard.h), what lies below relies on it.
  ThreadOwner &owner() const { return root().owner_; }
  /// The name, for a thread that is not inside.
  std::string NameFromOutside() const;
  const std::string &name() const { return name_; }
  /// A subgraph's new name must be free in its root; calling nodes follow.
  void set_name(std::string name);

  // ---- nodes ----
  /// Alive nodes in creation order.
  std::vector<Node *> Nodes() const;
  size_t node_count() const { return alive_; }
  /// True when there are nodes of this type; takes constant time.
  bool Has(Symbol type) const { return CountOf(type) != 0; }
  bool HasAny(std::initializer_list<Symbol> types) const;
  size_t CountOf(Symbol type) const;
  /// Types of the alive nodes, each once.
  std::vector<Symbol> Types() const;
  /// False when no node was ever given a description of its own for an input port.
  bool has_input_descs() const { return has_input_descs_; }
  uint32_t id_limit() const { return static_cast<uint32_t>(nodes_.size()); }  // ids are below this
  Node *NodeAt(size_t index) const;                                           // of Nodes(); null when out of range
  Node *node(uint32_t id);                                                    // may be removed
  /// Names may repeat: the first made of the nodes that are there. Null when absent.
  Node *Find(std::string_view name) const { return Find(name, NameIndex::Hash(name)); }
  Node *Find(std::string_view name, uint32_t hash) const;
  /// The node will be removed soon, or one with this name made: fetches where the name is entered.
  [[gnu::always_inline]] void FetchName(const Node &node) const noexcept { by_name_.Fetch(node.name_hash_); }
  [[gnu::always_inline]] uint32_t FetchName(std::string_view name) const noexcept {
    const uint32_t hash = NameIndex::Hash(name);
    by_name_.Fetch(hash);
    return hash;
  }
  /// True when several nodes have this name.
  bool has_repeated_names() const { return repeated_ != 0; }
  /// A name not taken yet that starts with `hint`.
  std::string UniqueName(std::string hint);
  /// Counts: instances per dynamic IR input / output, in their order.
  Node *AddNode(const IrDef *ir, std::string name, const int32_t *dyn_in = nullptr, size_t dyn_in_size = 0,
                const int32_t *dyn_out = nullptr, size_t dyn_out_size = 0);
  /// All at once: the node is there with its edges and attributes, or nothing has changed.
  Node *AddNode(const IrDef *ir, std::string name, NodeParts &&parts);
  void RemoveNode(Node *node);
  void RenameNode(Node *node, std::string name);

  // ---- edges ----
  void Connect(Endpoint src, Node *dst, int32_t dst_port);  // port must be free
  void Disconnect(Node *dst, int32_t dst_port);
  /// Connect, dropping the present edge.
  void Reconnect(Endpoint src, Node *dst, int32_t dst_port);
  /// All uses of `from` (graph outputs included) read `to` instead.
  void ReplaceUses(Endpoint from, Endpoint to);
  /// Many ports at once read other tensors. Linear however many uses a tensor has. Both ends may lie in any graph of
  /// the root: an edge between graphs is there for a MoveNodes to come.
  void Rewire(const std::vector<Rewiring> &changes);
  /// Nodes go over to other graphs of the root, in this order, and stay where they are in memory. Edges with nodes of
  /// the new graph come along; throws GE_GRAPH_INVALID where there are others, and then nothing has changed.
  void MoveNodes(const std::vector<Moving> &moves);
  void AddControl(Node *src, Node *dst);
  void RemoveControl(Node *src, Node *dst);
  /// Changes the number of instances of dynamic IR input `ir`; new ports are unconnected, removed ones must be.
  void ResizeDynamicInput(Node *node, size_t ir, int32_t count);

  /// Marks the node as one that a program's own kernel computes (IrDef::own_kernel). Not undone by a Transaction.
  void SetOwnKernel(Node *node) { node->ir_ = OwnKernelDef(*node->ir_); }

  // ---- content ----
  void SetAttr(Node *node, Symbol name, AttrValue value);
  void RemoveAttr(Node *node, Symbol name);
  void SetOutputDesc(Node *node, size_t i, TensorDesc desc);
  void SetInputDesc(Node *node, size_t i, TensorDesc desc);
  void SetOutputAttr(Node *node, size_t i, Symbol name, AttrValue value);
  void SetInputAttr(Node *node, size_t i, Symbol name, AttrValue value);
  void SetOrigins(Node *node, Origins origins);
  /// Origins and passes as a file recorded them.
  void SetLineage(Node *node, Origins origins, PassNames passes);
  /// Node `made` stands for what the others stood for; `pass` made it.
  void InheritOrigins(Node *made, std::initializer_list<const Node *> from, Symbol pass);
  const AttrMap &attrs() const { return attrs_; }
  void SetGraphAttr(Symbol name, AttrValue value);
  void RemoveGraphAttr(Symbol name);

  // ---- inputs and outputs ----
  /// Data-like nodes (Data, RefData, AippData, AnnData, AnyData) by their attribute index.
  std::vector<Node *> Inputs() const;
  /// The graph's outputs: the inputs of NetOutput when there is one, else the list set.
  std::vector<Endpoint> Outputs() const;
  void SetOutputs(std::vector<Endpoint> outputs);
  Node *NetOutput() const;  // null when absent

  // ---- subgraphs ----
  Graph &root() {
    Graph *parent = parent_.load(std::memory_order_acquire);
    return parent ? *parent : *this;
  }
  const Graph &root() const { return const_cast<Graph *>(this)->root(); }
  Graph *parent() const { return parent_; }
  void AddSubgraph(GraphPtr graph);  // to the root; throws when the name is taken
  GraphPtr RemoveSubgraph(std::string_view name);
  Graph *FindSubgraph(std::string_view name) const;
  const std::vector<GraphPtr> &subgraphs() const;  // the root's, in order of adding
  void AttachSubgraph(Node *node, Symbol ir_name, GraphPtr graph);

  // ---- whole graph ----
  /// Data and control order, ties by creation. Throws GE_GRAPH_INVALID naming nodes of a cycle.
  std::vector<Node *> TopologicalOrder() const;
  /// Throws GE_GRAPH_INVALID; see GeGraphVerify.
  void Verify() const;
  GraphPtr Clone(std::string name = "") const;  // with subgraphs; lineage kept
  /// Takes a copy of the content of another root graph, subgraphs included, in the place of its own; the name stays. A
  /// subgraph takes nodes, outputs and attributes only: throws GE_GRAPH_INVALID where the other has subgraphs.
  void TakeContent(const Graph &other);
  /// Counts changes of nodes and edges, those that were undone included.
  uint64_t changes() const { return changes_; }
  /// Counts what open transactions of the tree would take back, without remarks (UndoLog); 0 where none is open.
  size_t edits() const noexcept;
  /// Views of attributes that were handed out.
  AttrViewCache &attr_views() const { return views_; }

 private:
  friend class Node;
  friend class Transaction;
  friend class TypeIndex;
  explicit Graph(std::string name) : name_(std::move(name)) {}
  void End() noexcept;  // the last owner has left

  // Every change is made of these. `Log` is null outside transactions; a record is pushed before the change, which then
  // cannot fail.
  UndoLog *Log() const { return root().undo_; }
  void Own(const Node *node, const char *what) const;  // throws for null, foreign and removed nodes
  void CheckOutput(Endpoint e) const;
  void CheckInput(const Node *node, int32_t port) const;
  void KnowType(Symbol type);
  void Count(Symbol type, bool more) noexcept;
  void TakeName(Node *node) noexcept;
  void ReleaseName(Node *node) noexcept;
  void Restore(Node *node) noexcept;
  void MarkRemoved(Node *node) noexcept;
  void Release(Node *node) noexcept;  // content of a removed node that cannot come back
  void Place(Node *node) noexcept;    // as the last one; there is room
  void TakeOut(Node *node) noexcept;  // all of MarkRemoved but the name
  static Node *MovedAway() noexcept;
  size_t PrepareMove(const std::vector<Moving> &moves);
  static bool AmongNeighbours(const Node &node) noexcept;
  void HoldHome(const Node &node);
  static void Link(Endpoint src, Node *dst, int32_t dst_port, size_t at) noexcept;
  static size_t Unlink(Node *dst, int32_t dst_port) noexcept;
  static void ResizePorts(Node *node, size_t ir, int32_t count);
  void SetGraphOutput(size_t i, Endpoint e);
  void Changed() noexcept {
    order_.clear();
    ++changes_;
  }
  void Detach(Graph *subgraph) noexcept;
  void Unindex(const Graph &subgraph) noexcept;
  void OrderFrom(size_t at, std::vector<Node *> *order) const;
  std::vector<Node *> CopyNodes(Graph &target) const;  // with their edges; the copies by the ids here
  void CopyInto(Graph &target) const;                  // nodes, edges, outputs and attributes

  std::string name_;
  std::atomic<uint64_t> held_{1};  // handles of nodes, and one while the graph lives
  Pool<Node> memory_;              // of the nodes made here
  std::vector<Node *> nodes_;      // by id; removed ones stay, so that their handles can be refused
  std::vector<Graph *> homes_;     // held: others that made nodes of this graph
  size_t alive_ = 0;
  bool has_input_descs_ = false;
  struct TypeCount {
    Symbol type;
    size_t alive = 0;
  };
  std::vector<TypeCount> types_;  // those there ever were
  NameIndex by_name_;
  size_t repeated_ = 0;  // nodes that a node made before has the name of
  Node *net_output_ = nullptr;
  std::unordered_map<std::string, uint32_t> next_suffix_;
  std::vector<Endpoint> outputs_;
  AttrMap attrs_;
  std::atomic<Graph *> parent_{nullptr};  // root of a subgraph; whoever enters the graph reads it before it is inside
  mutable ThreadOwner owner_;             // of a root graph
  std::vector<GraphPtr> subgraphs_;
  /// By name, which lies in the graph. Names that were changed and graphs that an undo brought back are missing: what
  /// is not in here is only absent when all are.
  std::unordered_map<std::string_view, Graph *> subgraph_index_;
  UndoLog *undo_ = nullptr;  // of the outermost transaction
  mutable AttrViewCache views_;
  mutable std::vector<Node *> listed_;  // Nodes as NodeAt or a transaction needed it; empty after a change
  mutable std::vector<Node *> order_;   // TopologicalOrder as a transaction computed it; empty after a change of edges
  uint64_t changes_ = 0;
  mutable std::shared_ptr<TypeIndex> types_index_;  // of the last who looked for nodes by type
};

/// While alive, changes to the graph and its subgraphs can be undone: without Commit the destructor puts everything
/// back. Transactions nest.
class Transaction {
 public:
  explicit Transaction(Graph &root);
  ~Transaction();
  void Commit();
  bool changed() const;  // anything recorded

 private:
  void Finish() noexcept;
  Graph *root_;
  GraphPtr holder_;               // of the outermost transaction, which keeps the graph for those inside
  std::unique_ptr<UndoLog> own_;  // the same one's, to which all nested ones write
  UndoLog *log_;
  size_t mark_;   // the log's length at the start
  size_t holes_;  // and the number of its lists with holes
  bool done_ = false;
};

/// The constant an endpoint delivers (Const, Constant: attribute value), or null.
TensorPtr ConstantOf(Endpoint e);
inline TensorPtr ConstantInput(const Node &node, size_t i) { return ConstantOf(node.input(i)); }
bool IsDataType(Symbol type);   // Data, RefData, AippData, AnnData, AnyData
bool IsConstType(Symbol type);  // Const, Constant
/// Variable, VariableV2, VarHandleOp: nodes that stand for a variable, whose value lives on between runs.
bool IsVariableType(Symbol type);

}  // namespace gec
