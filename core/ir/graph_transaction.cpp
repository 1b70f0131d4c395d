#include <algorithm>

#include "core/ir/graph.h"
#include "core/ir/undo_log.h"

namespace gec {

Transaction::Transaction(Graph &graph) : root_(&graph.root()) {
  log_ = root_->undo_;
  if (!log_) {
    holder_ = root_->shared_from_this();
    own_ = std::make_unique<UndoLog>();
    log_ = root_->undo_ = own_.get();
  }
  mark_ = log_->size();
  holes_ = log_->holes.size();
}

size_t Graph::edits() const noexcept {
  const UndoLog *log = Log();
  return log ? log->size() - log->remarks : 0;
}

bool Transaction::changed() const { return !done_ && log_->size() > mark_; }

// Ends the outermost transaction: nothing before this point can be undone any more.
void Transaction::Finish() noexcept {
  done_ = true;
  if (!own_) return;
  root_->undo_ = nullptr;
  for (const auto &[node, out] : own_->holes) node->Close(out);
  for (const GraphPtr &graph : own_->detached) {
    if (graph->undo_ == own_.get()) graph->undo_ = nullptr;
  }
  for (Node *node : own_->removed) {
    if (node->removed_) node->graph().Release(node);
  }
  own_.reset();
}

void Transaction::Commit() {
  if (!done_) Finish();
}

Transaction::~Transaction() {
  if (done_) return;
  while (log_->size() > mark_) log_->Undo();
  log_->holes.resize(holes_);  // those lists are as they were, and their nodes may be gone
  Finish();
}

}  // namespace gec
