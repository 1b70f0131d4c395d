// One box for each node, constants in the boxes that read them. A block that repeats is drawn once, in a frame: what
// goes in and out passes its border, so every frame is a drawing of its own.
#include "core/dump/graph_picture.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "core/dump/desc_text.h"
#include "core/dump/layers.h"
#include "core/dump/node_card.h"
#include "core/dump/node_sequence.h"
#include "core/dump/short_names.h"
#include "core/dump/svg_path.h"
#include "core/ir/types.h"
#include "core/support/xml_text.h"

namespace gec {
namespace {

constexpr double kPad = 14, kCaption = 26, kReturn = 26;  // of a frame: margin, height of its title, way back

/// The inside of a frame, or of the whole picture.
struct Body {
  std::string content;
  double width = 0, height = 0;
  std::map<size_t, double> in, out;  // where the value of a cell comes in at the top and goes out at the bottom
  std::string prefix;                // of names that are shown without it
};

class Painter {
 public:
  Painter(const NodeSequence &sequence, const std::map<std::string, size_t> &colours)
      : s_(sequence), colours_(colours) {
    for (const PictureReading &r : s_.readings) by_reader_[r.reader].push_back(&r);
  }

  Body Whole() { return Lay(0, s_.cells.size(), s_.repeats, nullptr); }
  size_t drawn() const { return drawn_; }

 private:
  /// Names of the cells that this drawing shows itself, and what they begin with that is not shown.
  void NameCells(const std::vector<size_t> &cells, std::map<size_t, std::string> *names, std::string *prefix) const {
    std::vector<std::string> inner;
    std::vector<size_t> which;
    for (size_t i : cells) {
      const Node &node = *s_.cells[i].node;
      (*names)[i] = node.name();
      if (s_.cells[i].is_output()) continue;
      if (IsDataType(node.type()) || node.type() == Symbol("NetOutput")) {
        (*names)[i] = Shorten({node.name()}, kCardWidth, kCardFont).names[0];
        continue;
      }
      inner.push_back(node.name());
      which.push_back(i);
    }
    const ShortNames made = Shorten(inner, kCardWidth, kCardFont);
    *prefix = made.prefix;
    for (size_t k = 0; k < which.size(); ++k) (*names)[which[k]] = made.names[k];
  }

  struct Part {
    size_t begin, end;
    const Repeat *repeat = nullptr;
    NodeCard card;
    Body body;  // of a repeat, frame included
  };

  struct Drawing {
    LayerDrawing layers;
    std::vector<std::string> styles;  // of its lines
    std::set<std::tuple<size_t, size_t, size_t, size_t>> known;

    void Connect(size_t from, double from_at, size_t to, double to_at, size_t value, bool control) {
      const size_t target_value = to_at < 0 ? SIZE_MAX : value;
      if (from == to || !known.insert({from, from_at < 0 ? SIZE_MAX : value, to, target_value}).second) return;
      layers.lines.push_back({from, to, from_at, to_at, {}, false, false});
      styles.push_back(control ? "e k" : "e");
    }
  };

  /// Cells [begin, end), of which the first block of every repeat shows. `around`: they are the first block of it.
  Body Lay(size_t begin, size_t end, const std::vector<Repeat> &repeats, const Repeat *around) {
    std::vector<Part> parts;
    std::vector<size_t> own;
    std::map<size_t, size_t> part_of;  // by position of the first blocks' cells
    auto repeat = repeats.begin();
    for (size_t i = begin; i < end;) {
      const bool frame = repeat != repeats.end() && repeat->begin == i;
      parts.push_back({i, frame ? i + repeat->period : i + 1, frame ? &*repeat : nullptr, {}, {}});
      for (size_t k = parts.back().begin; k < parts.back().end; ++k) part_of[k] = parts.size() - 1;
      if (!frame) own.push_back(i);
      i = frame ? (repeat++)->end() : i + 1;
    }
    std::map<size_t, std::string> names;
    std::string prefix;
    NameCells(own, &names, &prefix);
    for (size_t i : own) drawn_ += !s_.cells[i].is_output();
    for (Part &part : parts) {
      if (part.repeat) part.body = Frame(*part.repeat);
      else part.card = CardOf(s_.cells[part.begin], names[part.begin], colours_);
    }
    Body body = Compose(begin, end, around, parts, part_of);
    body.prefix = std::move(prefix);
    return body;
  }

  /// Cells of the first block whose values other blocks read, or whatever stands outside of the repeat.
  std::set<size_t> Leaving(const Repeat &repeat) const {
    std::set<size_t> cells;
    const auto block = [&](size_t cell) {
      return cell < repeat.begin || cell >= repeat.end() ? SIZE_MAX : (cell - repeat.begin) / repeat.period;
    };
    for (const PictureReading &r : s_.readings)
      if (block(r.source) != SIZE_MAX && block(r.source) != block(r.reader)) cells.insert(s_.first[r.source]);
    return cells;
  }

  Body Compose(size_t begin, size_t end, const Repeat *around, const std::vector<Part> &parts,
               const std::map<size_t, size_t> &part_of) {
    Drawing d;
    std::map<size_t, size_t> in_box, out_box;
    const auto inside = [&](size_t cell) { return cell >= begin && cell < end; };
    for (size_t r = begin; r < end; ++r) {
      if (s_.first[r] != r) continue;
      for (const PictureReading *reading : ReadBy(r)) {
        const size_t source = s_.first[reading->source];
        if (!inside(source) && source < begin && in_box.emplace(source, d.layers.boxes.size()).second)
          d.layers.boxes.push_back({1, 0, LayerDrawing::kTop, 0, 0, 0});
      }
    }
    const size_t base = d.layers.boxes.size();
    for (const Part &part : parts) {
      if (part.repeat) d.layers.boxes.push_back({part.body.width, part.body.height, LayerDrawing::kFree, 0, 0, 0});
      else d.layers.boxes.push_back({part.card.width, part.card.height, LayerDrawing::kFree, 0, 0, 0});
    }
    for (size_t r = begin; r < end; ++r) {
      const auto reader = part_of.find(r);
      if (s_.first[r] != r || reader == part_of.end()) continue;
      const Part &to = parts[reader->second];
      for (const PictureReading *reading : ReadBy(r)) {
        const size_t source = s_.first[reading->source];
        const double to_at = to.repeat ? PlaceOf(to.body.in, source) : -1;
        if (inside(source) && part_of.count(source)) {
          const size_t from = part_of.at(source);
          if (from == reader->second) continue;
          d.Connect(base + from, parts[from].repeat ? PlaceOf(parts[from].body.out, source) : -1, base + reader->second,
                    to_at, source, reading->control);
        } else if (in_box.count(source)) {
          d.Connect(in_box[source], 0.5, base + reader->second, to_at, source, reading->control);
        }
      }
    }
    for (size_t cell : around ? Leaving(*around) : std::set<size_t>()) {
      const size_t part = part_of.at(cell);
      out_box[cell] = d.layers.boxes.size();
      d.layers.boxes.push_back({1, 0, LayerDrawing::kBottom, 0, 0, 0});
      d.Connect(base + part, parts[part].repeat ? PlaceOf(parts[part].body.out, cell) : -1, out_box[cell], 0.5, cell,
                false);
    }
    LayOut(&d.layers);
    return Paint(d, parts, base, in_box, out_box);
  }

  static double PlaceOf(const std::map<size_t, double> &places, size_t cell) {
    const auto found = places.find(cell);
    return found == places.end() ? -1 : found->second;
  }

  Body Paint(const Drawing &d, const std::vector<Part> &parts, size_t base, const std::map<size_t, size_t> &in_box,
             const std::map<size_t, size_t> &out_box) const {
    Body body;
    body.width = d.layers.width;
    body.height = d.layers.height;
    std::set<size_t> ports;
    for (const auto &[cell, box] : in_box) body.in[cell] = d.layers.boxes[box].x + 0.5;
    for (const auto &[cell, box] : out_box) {
      body.out[cell] = d.layers.boxes[box].x + 0.5;
      ports.insert(box);
    }
    for (size_t i = 0; i < d.layers.lines.size(); ++i) {
      const LayerDrawing::Line &line = d.layers.lines[i];
      const bool arrow = !ports.count(line.to) && !line.backwards;
      if (line.cut) {  // its two ends
        const Point from = line.points.front(), to = line.points.back();
        body.content += Str("<path class=\"e k\" d=\"M", PointText(from.x, from.y), "v12M", PointText(to.x, to.y - 16),
                            "v10\"/>\n", ArrowText(to));
        continue;
      }
      body.content += Str("<path class=\"", d.styles[i], "\" d=\"", PathText(line.points, arrow ? 5 : 0), "\"/>\n");
      if (arrow) body.content += ArrowText(line.points.back());
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const LayerDrawing::Box &box = d.layers.boxes[base + i];
      body.content += Str("<g transform=\"translate(", PointText(box.x, box.y), ")\"",
                          parts[i].repeat ? "" : Str(" class=\"n ", parts[i].card.style, "\""), ">",
                          parts[i].repeat ? parts[i].body.content : CardText(parts[i].card), "</g>\n");
    }
    return body;
  }

  static std::string CardText(const NodeCard &card) {
    std::string out = Str("<title>", XmlText(card.tip), "</title><rect width=\"", PixelText(card.width), "\" height=\"",
                          PixelText(card.height), "\" rx=\"5\"/>");
    double y = kCardLine + 1;
    for (const NodeCard::Line &line : card.lines) {
      out += Str("<text class=\"", line.style, "\" x=\"", PixelText(card.width / 2), "\" y=\"", PixelText(y), "\">",
                 XmlText(line.text), "</text>");
      y += kCardLine;
    }
    return out;
  }

  // ---- frames of repeats ----

  /// Values of the first block that the second one reads, and what the first one reads in their place.
  std::vector<std::pair<size_t, size_t>> Carried(const Repeat &repeat) const {
    std::set<std::pair<size_t, size_t>> found;
    const size_t second = repeat.begin + repeat.period;
    for (size_t r = second; r < second + repeat.period; ++r) {
      const std::vector<const PictureReading *> &now = ReadBy(r), &before = ReadBy(r - repeat.period);
      for (size_t k = 0; k < now.size() && now.size() == before.size(); ++k) {
        if (now[k]->source >= repeat.begin && now[k]->source < second && before[k]->source < repeat.begin)
          found.insert({s_.first[now[k]->source], s_.first[before[k]->source]});
      }
    }
    return {found.begin(), found.end()};
  }

  /// Nodes of a block, inputs of the graph apart.
  std::vector<std::string> NamesIn(size_t begin, size_t end) const {
    std::vector<std::string> names;
    for (size_t i = begin; i < end; ++i)
      if (!s_.cells[i].is_output() && !IsDataType(s_.cells[i].node->type())) names.push_back(s_.cells[i].node->name());
    if (names.empty()) names.push_back(s_.cells[begin].node->name());
    return names;
  }

  /// Which nodes the blocks are about: what the names of each begin with, where that differs, else their first nodes.
  std::string BlocksText(const Repeat &repeat, const std::string &shown_prefix) const {
    const size_t last = repeat.begin + repeat.period * (repeat.count - 1);
    const std::vector<std::string> first_names = NamesIn(repeat.begin, repeat.begin + repeat.period),
                                   last_names = NamesIn(last, last + repeat.period);
    std::string from = Shorten(first_names, kCardWidth, kCardFont).prefix,
                to = Shorten(last_names, kCardWidth, kCardFont).prefix;
    const bool told = !from.empty() && from != to && from == shown_prefix;
    const ShortNames ends =
        Shorten({told ? from + "…" : first_names[0], told ? to + "…" : last_names[0]}, kCardWidth, kCardFont);
    return ends.names[0] + "  to  " + ends.names[1] +
           (told || shown_prefix.empty() ? "" : "   … stands for " + EndOf(shown_prefix, kCardWidth, kCardFont));
  }

  Body Frame(const Repeat &repeat) {
    Body inner = Lay(repeat.begin, repeat.begin + repeat.period, repeat.inner, &repeat);
    const std::vector<std::pair<size_t, size_t>> carried = Carried(repeat);
    const std::string times = Str("× ", repeat.count), names = BlocksText(repeat, inner.prefix);
    const double times_width = TextWidth(times, 15) + 22, caption = times_width + TextWidth(names, kCardFont) + 16;
    const double right = kPad + (carried.empty() ? 0 : kReturn), left = kPad;
    Body body;
    body.width = std::max(inner.width + left + right, caption);
    body.height = inner.height + kCaption + 2 * kPad;
    const double x = left + std::max(0.0, (body.width - left - right - inner.width) / 2), y = kCaption + kPad;
    body.content = Str("<rect class=\"frame\" width=\"", PixelText(body.width), "\" height=\"", PixelText(body.height),
                       "\" rx=\"9\"/>\n");
    for (const auto &[cell, at] : inner.in) {
      body.in[cell] = x + at;
      body.content += Str("<path class=\"e\" d=\"M", PointText(x + at, 0), "L", PointText(x + at, y), "\"/>\n");
    }
    for (const auto &[cell, at] : inner.out) {
      body.out[cell] = x + at;
      body.content += Str("<path class=\"e\" d=\"M", PointText(x + at, y + inner.height), "L",
                          PointText(x + at, body.height), "\"/>\n");
    }
    if (!carried.empty()) body.content += WayBack(body, carried, y, y + inner.height);
    body.content +=
        Str("<path class=\"caption\" d=\"M1 ", PixelText(kCaption), "V10Q1 1 10 1H", PixelText(body.width - 10), "Q",
            PointText(body.width - 1, 1), " ", PointText(body.width - 1, 10), "V", PixelText(kCaption),
            "Z\"><title>the first of ", repeat.count,
            " blocks; names and weights of the others differ</title></path><text class=\"times\" x=\"9\" y=\"18\">",
            times, "</text><text class=\"m l\" x=\"", PixelText(times_width), "\" y=\"17\">", XmlText(names),
            "</text>\n<g transform=\"translate(", PointText(x, y), ")\">\n", inner.content, "</g>\n");
    return body;
  }

  /// From the bottom of a frame to its top, at the right.
  std::string WayBack(const Body &body, const std::vector<std::pair<size_t, size_t>> &carried, double top,
                      double bottom) const {
    const double x = body.width - kPad;
    std::string out = Str("<g><title>the next block reads what this one gives</title>");
    for (const auto &[given, read] : carried) {
      const double from = PlaceOf(body.out, given), to = PlaceOf(body.in, read);
      if (from < 0 || to < 0) continue;
      out += Str("<path class=\"e back\" d=\"M", PointText(from, bottom + 5), "H", PixelText(x - 6), "Q",
                 PointText(x, bottom + 5), " ", PointText(x, bottom - 1), "V", PixelText(top - 1), "Q",
                 PointText(x, top - 7), " ", PointText(x - 6, top - 7), "H", PixelText(to + 5),
                 "\"/><path class=\"tip\" d=\"M", PointText(to + 7, top - 10), "V", PixelText(top - 4), "L",
                 PointText(to + 1, top - 7), "Z\"/>\n");
    }
    return out + "</g>\n";
  }

  const std::vector<const PictureReading *> &ReadBy(size_t reader) const {
    static const std::vector<const PictureReading *> kNone;
    const auto found = by_reader_.find(reader);
    return found == by_reader_.end() ? kNone : found->second;
  }

  const NodeSequence &s_;
  const std::map<std::string, size_t> &colours_;  // of engines
  std::map<size_t, std::vector<const PictureReading *>> by_reader_;
  size_t drawn_ = 0;
};

/// Engines of a placed graph in the order of their names.
std::vector<GraphPicture::Engine> EnginesOf(const NodeSequence &sequence) {
  std::map<std::string, size_t> nodes;
  for (const PictureCell &cell : sequence.cells)
    if (const std::string engine = EngineText(*cell.node); !cell.is_output() && !engine.empty()) ++nodes[engine];
  std::vector<GraphPicture::Engine> engines;
  for (const auto &[engine, count] : nodes) engines.push_back({engine, 0, count});
  return engines;
}

GraphPicture Draw(const NodeSequence &sequence, std::map<std::string, size_t> *colours) {
  GraphPicture picture;
  picture.engines = EnginesOf(sequence);
  for (GraphPicture::Engine &e : picture.engines)
    e.colour = colours->emplace(e.name, colours->size() % kColours).first->second;
  Painter painter(sequence, *colours);
  Body body = painter.Whole();
  picture.content = std::move(body.content);
  picture.width = body.width;
  picture.height = body.height;
  for (const PictureCell &cell : sequence.cells) picture.nodes += !cell.is_output();
  picture.drawn = painter.drawn();
  picture.note = Str(picture.nodes, picture.nodes == 1 ? " node" : " nodes");
  if (!sequence.repeats.empty())
    picture.note += Str(", ", picture.drawn, " of them shown: blocks that repeat are drawn once");
  if (sequence.unread)
    picture.note += Str(", besides ", sequence.unread,
                        sequence.unread == 1 ? " constant that nothing reads" : " constants that nothing reads");
  if (!body.prefix.empty()) picture.note += "; … stands for " + body.prefix;
  return picture;
}

}  // namespace

std::vector<GraphPicture> DrawGraphs(const Graph &graph) {
  struct Open {
    const Graph *graph;
    std::string title;
  };
  NodeSequences sequences;
  std::vector<GraphPicture> pictures;
  std::set<const Graph *> seen = {&graph};
  std::map<uint64_t, std::string> drawn;  // by structure
  std::map<std::string, size_t> colours;
  std::deque<Open> open = {{&graph, graph.name()}};
  while (!open.empty()) {
    const Open now = open.front();
    open.pop_front();
    const NodeSequence &sequence = sequences.Of(*now.graph);
    const auto [like, fresh] = drawn.emplace(sequence.structure, now.graph->name());
    if (fresh) pictures.push_back(Draw(sequence, &colours));
    else pictures.push_back({"", "looks like " + like->second, {}, "", 0, 0, sequence.cells.size(), 0});
    pictures.back().title = now.title;
    if (!fresh) continue;
    for (size_t i = 0; i < sequence.cells.size(); ++i) {
      const PictureCell &cell = sequence.cells[i];
      if (cell.is_output() || sequence.first[i] != i) continue;
      for (size_t k = 0; k < cell.node->subgraphs().size(); ++k) {
        const Graph *sub = cell.node->subgraph(k);
        if (sub && seen.insert(sub).second)
          open.push_back({sub, Str(sub->name(), " — ", cell.node->subgraphs()[k].ir_name.view(), " of ",
                                   cell.node->type().view(), " ", cell.node->name())});
      }
    }
  }
  return pictures;
}

}  // namespace gec
