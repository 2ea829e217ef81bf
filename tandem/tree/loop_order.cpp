// What is done once a model: which blocks of rows there are, where each meets, and in which order they are eliminated.
#include <algorithm>
#include <map>
#include <set>

#include "tandem/tree/link_form.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

template <class S> int LoopRows<S>::meeting_link(const std::vector<TreeLink<S>>& links, int a, int b) {
  while (a != b) {
    int& lower = a > b ? a : b;  // parents have smaller numbers; the world is 0
    lower = links[static_cast<std::size_t>(lower)].parent;
  }
  return a;
}

template <class S> int LoopRows<S>::meeting_link(const std::vector<TreeLink<S>>& links, const LoopBlock<S>& block) {
  int meet = -1;
  for (int side = 0; side < block.sides(); ++side)
    if (const int link = block.link_of(side); link != 0) meet = meet < 0 ? link : meeting_link(links, meet, link);
  return std::max(meet, 0);
}

template <class S>
void LoopRows<S>::build(const Model& model, const Forest& forest, const std::vector<int>& link_of_node,
                        const std::vector<Pose<S>>& X_LC, const std::vector<TreeLink<S>>& links) {
  std::vector<bool> in_tree(model.joints.size(), false);
  for (const int joint : forest.tree) in_tree[static_cast<std::size_t>(joint)] = true;
  const auto link_of_body = [&](int body) {
    return body == world ? 0
                         : link_of_node[static_cast<std::size_t>(forest.node_of_body[static_cast<std::size_t>(body)])];
  };
  const auto place_on = [&](int link, const BodyFrame& frame, M3<S>& R, V3<S>& p) {
    const Pose<S> X = X_LC[static_cast<std::size_t>(link)] * frame.X_CF.template cast<S>();
    R = M3<S>(X.R);
    p = V3<S>(X.p);
  };
  const auto place = [&](LoopBlock<S>& block, int side, const BodyFrame& frame) {
    const int link = link_of_body(frame.body);
    block.add_side(side, link);
    place_on(link, frame, block.R_of(side), block.p_of(side));
  };
  const auto place_custom = [&](LoopBlock<S>& block, const CustomRows& rows, const std::vector<int>& bodies) {
    block.custom = &rows;
    block.work = custom_work_.size();
    custom_work_.emplace_back();
    block.moves = true;
    std::vector<int> sides;  // bodies
    for (const int body : bodies) {
      if (body != world && std::find(sides.begin(), sides.end(), body) == sides.end()) {
        place(block, static_cast<int>(sides.size()), {body, {}});
        sides.push_back(body);
      }
      const auto at = std::find(sides.begin(), sides.end(), body);
      block.side_of_body.push_back(body == world ? -1 : static_cast<int>(at - sides.begin()));
    }
  };
  const auto loop_term_of = [&](const CoordinateRef& ref) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
    const JointCoordinate& coordinate = joint.joint()->traits().coordinates[static_cast<std::size_t>(ref.coordinate)];
    typename LoopBlock<S>::LoopTerm term{.joint = kernel_on<S>(*joint.joint()),
                                         .coordinate = model_coordinate(joint, ref.coordinate),
                                         .speed = ref.coordinate,
                                         .coefficient = ref.coefficient};
    if (coordinate.angular && !coordinate.counts_turns) term.angle = joint.turns_first + ref.coordinate;
    counts_turns_ = counts_turns_ || term.angle >= 0;
    for (std::size_t end = 0; end < 2; ++end) {
      const BodyFrame& frame = end == 0 ? joint.first : joint.second;
      term.link[end] = link_of_body(frame.body);
      place_on(term.link[end], frame, term.R[end], term.p[end]);
    }
    return term;
  };
  const auto term_of = [&](const CoordinateRef& ref) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
    const auto node = std::find_if(forest.nodes.begin(), forest.nodes.end(),
                                   [&](const Forest::Node& each) { return each.joint == ref.joint; });
    typename LoopBlock<S>::Term term{.q = node->q_first + model_coordinate(joint, ref.coordinate),
                                     .v = node->v_first + ref.coordinate,
                                     .coefficient = ref.coefficient};
    term.link = link_of_node[static_cast<std::size_t>(node - forest.nodes.begin())];
    const TreeLink<S>& last = links[static_cast<std::size_t>(term.link)];
    if (last.any)
      term.column = last.any->column_of(ref.coordinate);
    else  // the last of the joint's links, or one before it
      while (links[static_cast<std::size_t>(term.link)].v != term.v)
        term.link = links[static_cast<std::size_t>(term.link)].parent;
    return term;
  };
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    const auto which = static_cast<std::size_t>(info.index);
    if (info.kind == RowBlockInfo::Kind::drive &&
        in_tree[static_cast<std::size_t>(model.drives[which].coordinate.joint)])
      continue;  // within the recursion
    LoopBlock<S> block;
    block.index = static_cast<int>(i);
    block.row_of_model = info.first_row;
    block.length = info.length;
    if (info.kind == RowBlockInfo::Kind::joint) {
      if (in_tree[which]) continue;
      if (const auto* custom = std::get_if<CustomRows>(&model.joints[which].type)) {
        place_custom(block, *custom, {model.joints[which].first.body, model.joints[which].second.body});
      } else {
        block.joint = kernel_on<S>(*model.joints[which].joint());
        block.begins_with_points = begins_with_point(*model.joints[which].joint());
        place(block, 0, model.joints[which].first);
        place(block, 1, model.joints[which].second);
      }
    } else if (info.kind == RowBlockInfo::Kind::drive) {
      const CoordinateRef& ref = model.drives[which].coordinate;
      const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
      const JointCoordinate& driven = joint.joint()->traits().coordinates[static_cast<std::size_t>(ref.coordinate)];
      block.joint = kernel_on<S>(*joint.joint());
      block.drive = &model.drives[which].drive;
      block.speed = ref.coordinate;
      block.coordinate = model_coordinate(joint, ref.coordinate);
      block.wraps = driven.angular && !driven.counts_turns;
      block.moves = true;
      place(block, 0, joint.first);
      place(block, 1, joint.second);
    } else if (const auto* relation = std::get_if<CoordinateConstraint>(&model.constraints[which].what)) {
      block.on_coordinates = true;
      for (const CoordinateRef& ref : relation->terms)
        if (in_tree[static_cast<std::size_t>(ref.joint)])
          block.terms.push_back(term_of(ref));
        else
          block.loop_terms.push_back(loop_term_of(ref));
      block.value = relation->value;
      block.moves = relation->velocity_only;
    } else if (const auto* custom = std::get_if<CustomConstraint>(&model.constraints[which].what)) {
      place_custom(block, custom->rows, custom->bodies);
    } else {
      const auto& pair = std::get<PairConstraint>(model.constraints[which].what);
      block.constraint = kernel_on<S>(pair.constraint);
      block.type = &pair.constraint;
      block.moves = pair.constraint.time_dependent();
      place(block, 0, pair.first);
      place(block, 1, pair.second);
    }
    if (block.on_coordinates) {
      place_terms(block, links);
    } else {
      block.together = meeting_link(links, block);
      block.to_world = block.custom || block.link[0] == 0 || block.link[1] == 0;
      block.meet = block.to_world ? 0 : block.together;
    }
    // More than six rows are several blocks.
    int blocks = (info.rows + 5) / 6, first = 0;
    do {
      LoopBlock<S> part = block;
      part.first_row = row_count_;
      part.first_of_custom = first;
      part.row_of_model = info.first_row + first;
      part.all_rows = blocks > 1 ? (info.rows - first + blocks - 1) / blocks : info.rows - first;
      part.holonomic = std::clamp(info.holonomic - first, 0, part.all_rows);
      std::copy_n(info.sizes.begin() + first, part.all_rows, part.size.begin());
      row_count_ += part.all_rows;
      first += part.all_rows;
      blocks_.push_back(std::move(part));
    } while (--blocks > 0);
  }
  angles_.setZero(model.angles);
  crowded_ = find_crowd(links);
  if (!blocks_.empty() && !crowded_) order_blocks(links);
  use_all_rows();
}

template <class S> typename LoopRows<S>::Entry LoopRows<S>::entry_of(int block, int side, int link) const {
  Entry entry{.block = block, .side = side};
  for (const typename LoopBlock<S>::Term& term : blocks_[static_cast<std::size_t>(block)].terms)
    if (term.link == link) {
      entry.has_term = true;
      entry.term[term.column] += term.coefficient;
    }
  return entry;
}

// Blocks go where the sweep meets them; those that meet at the world by the number of their neighbours, least first.
template <class S> void LoopRows<S>::order_blocks(const std::vector<TreeLink<S>>& links) {
  std::stable_sort(blocks_.begin(), blocks_.end(),
                   [](const auto& a, const auto& b) { return a.meet != b.meet ? a.meet > b.meet : a.turn < b.turn; });
  for (LoopBlock<S>& block : blocks_) {
    block.later.clear();
    block.updates.clear();
  }
  const auto count = blocks_.size();
  std::vector<std::vector<std::size_t>> on_link(links.size());
  // Along the ways of a block's sides to where it meets: visit(link, side) for the joints to pass, and
  // merge(link, side, into) where one comes upon the way of another before it.
  std::vector<int> way(links.size(), 0), side_on(links.size(), 0);
  int ways = 0;
  const auto walk = [&](std::size_t a, const auto& visit, const auto& merge) {
    const LoopBlock<S>& block = blocks_[a];
    ++ways;
    for (int side = 0; side < block.sides(); ++side) {
      auto link = static_cast<std::size_t>(block.link_of(side));
      const auto meet = static_cast<std::size_t>(block.meet);
      if (link == 0) continue;  // the world has no joint to pass
      for (; link != meet && way[link] != ways; link = static_cast<std::size_t>(links[link].parent)) {
        way[link] = ways;
        side_on[link] = side;
        visit(link, side);
      }
      if (link != meet)
        merge(link, side, side_on[link]);
      else if (link != 0 && side > 1)  // (4) adds up the first two
        merge(link, side, 0);
    }
  };
  const auto nothing = [](std::size_t, int, int) {};
  for (std::size_t a = 0; a < count; ++a)
    walk(
        a, [&](std::size_t link, int) { on_link[link].push_back(a); }, nothing);
  std::vector<std::set<std::size_t>> beside(count);
  for (const auto& on : on_link)
    for (const std::size_t a : on)
      for (const std::size_t b : on)
        if (a != b) beside[a].insert(b);
  const auto remove = [&](std::size_t a) {
    for (const std::size_t b : beside[a]) {
      beside[b].erase(a);
      for (const std::size_t c : beside[a])
        if (b != c) beside[b].insert(c);
    }
  };
  std::vector<std::size_t> order;
  std::vector<std::vector<std::size_t>> later;
  std::set<std::pair<std::size_t, std::size_t>> waiting;  // (neighbours, block) at the world
  for (std::size_t a = 0; a < count; ++a) {
    if (blocks_[a].meet == 0) continue;
    order.push_back(a);
    later.emplace_back(beside[a].begin(), beside[a].end());
    remove(a);
  }
  for (std::size_t a = 0; a < count; ++a)
    if (blocks_[a].meet == 0) waiting.insert({beside[a].size(), a});
  while (!waiting.empty()) {
    const std::size_t a = waiting.begin()->second;
    waiting.erase(waiting.begin());
    const std::vector<std::size_t> around(beside[a].begin(), beside[a].end());
    for (const std::size_t b : around) waiting.erase({beside[b].size(), b});
    order.push_back(a);
    later.push_back(around);
    remove(a);
    for (const std::size_t b : around) waiting.insert({beside[b].size(), b});
  }

  std::vector<std::size_t> place(count);
  for (std::size_t k = 0; k < count; ++k) place[order[k]] = k;
  std::vector<LoopBlock<S>> sorted;
  for (const std::size_t a : order) sorted.push_back(std::move(blocks_[a]));
  blocks_ = std::move(sorted);
  S_.assign(count, {});
  std::map<std::pair<std::size_t, std::size_t>, int> index;
  for (std::size_t a = 0; a < count; ++a) {
    std::vector<std::size_t> after;
    for (const std::size_t b : later[a]) after.push_back(place[b]);
    std::sort(after.begin(), after.end());
    for (const std::size_t b : after) {
      const auto found = index.try_emplace({a, b}, static_cast<int>(S_.size()));
      if (found.second) S_.emplace_back();
      blocks_[a].later.emplace_back(static_cast<int>(b), found.first->second);
    }
  }
  meeting_.assign(links.size(), {});
  entries_.assign(links.size(), {});
  pairs_.assign(links.size(), {});
  merges_.clear();
  for (std::size_t a = 0; a < count; ++a) {
    const int block = static_cast<int>(a);
    meeting_[static_cast<std::size_t>(blocks_[a].meet)].push_back(block);
    walk(
        a, [&](std::size_t link, int side) { entries_[link].push_back(entry_of(block, side, static_cast<int>(link))); },
        [&](std::size_t link, int side, int into) {
          merges_.resize(links.size());
          merges_[link].push_back({block, side, into});
        });
  }
  for (std::size_t link = 0; link < links.size(); ++link)
    for (std::size_t i = 0; i < entries_[link].size(); ++i)
      for (std::size_t j = i; j < entries_[link].size(); ++j) {  // entries are in the order of elimination
        const auto a = static_cast<std::size_t>(entries_[link][i].block),
                   b = static_cast<std::size_t>(entries_[link][j].block);
        const int at = a == b ? static_cast<int>(a) : index.at({a, b});
        pairs_[link].push_back({static_cast<int>(i), static_cast<int>(j), at});
      }
  // What elimination needs of later pairs (b, c) is found by their numbers.
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t i = 0; i < blocks_[a].later.size(); ++i)
      for (std::size_t j = i; j < blocks_[a].later.size(); ++j) {
        const auto b = static_cast<std::size_t>(blocks_[a].later[i].first),
                   c = static_cast<std::size_t>(blocks_[a].later[j].first);
        blocks_[a].updates.push_back(b == c ? static_cast<int>(b) : index.at({b, c}));
      }
}

#define TANDEM_INSTANTIATE(S) template class LoopRows<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
